"""Treebanks for tests: short notation of words, sentences in CoNLL-U."""

from collections.abc import Iterable
from pathlib import Path

from app.engine.probing.treebanks.reader import Sentence, parse_sentence


def lines_of(text: str) -> list[str]:
    """Write a sentence in CoNLL-U.

    Args:
        text: a word each: form/lemma/UPOS/head/relation and perhaps /features; where a
            token has several words, token*n=> before the first of its n.
    """
    lines: list[str] = []
    for number, item in enumerate(text.split(" "), 1):
        joined, sign, word = item.rpartition("=>")
        if sign:
            form, _, n = joined.rpartition("*")
            span = f"{number}-{number + int(n) - 1}"
            lines.append("\t".join([span, form, *"_" * 8]))
        form, lemma, kind, head, relation, *feats = word.split("/")
        columns = [str(number), form, lemma, kind, "_", *(feats or ["_"])]
        lines.append("\t".join([*columns, head, relation, "_", "_"]))
    return lines


def tree(text: str) -> Sentence:
    """Parse a sentence that is written in short."""
    return parse_sentence(1, lines_of(text))


def write_treebank(file: Path, sentences: Iterable[list[str]]) -> Path:
    """Write sentences (lists of lines) into a file."""
    text = "".join("\n".join(["# made by a test", *one]) + "\n\n" for one in sentences)
    file.write_text(text, encoding="utf-8", newline="\n")
    return file


def many_sentences(n: int = 240) -> list[list[str]]:
    """Write n sentences of a made-up language with nouns, verbs, tense and number."""
    found = []
    for i in range(n):
        number = "Plur" if i % 2 else "Sing"
        tense = "Past" if i // 2 % 2 else "Pres"
        noun, verb, thing = f"noun{i % 17}", f"verb{i % 13}", f"thing{i % 11}"
        subject = f"{noun}{number}/{noun}/NOUN/3/nsubj/Number={number}"
        head = f"{verb}{tense}/{verb}/VERB/0/root/Tense={tense}|VerbForm=Fin"
        middle = [f"adj{(i + k) % 7}/adj/ADJ/3/advmod" for k in range(i % 9)]
        words = ["The/the/DET/2/det", subject, head, *middle]
        words.append(f"{thing}/{thing}/NOUN/3/obj/Number={number}")
        words.append(f"word{i}/word/ADV/3/advmod")
        words.append("././PUNCT/3/punct")
        found.append(lines_of(" ".join(words)))
    return found
