"""Choose the cost of a sentence without a translation: the table of docs/alignment.md.

Run by hand: `python -m tests.benchmarks.alignment_skip --news FILE [--test]`. FILE is
a table (.tsv.xz) of consecutive news sentences: document, then a column a language.
Articles in even places are for development, the others (`--test`) for the check.
Documents are made of them: sentences are joined, split at a clause, or removed on one
side; in the second half of the runs, half of the sentences lose a third to a half of
their words, as in a free translation.
"""

import argparse
import lzma
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.engine.alignment.paths import AlignmentSettings, align
from app.engine.alignment.spans import Spans, encode_spans
from app.engine.encoders.registry import load_encoder
from app.engine.runtime.report import Report
from app.engine.store.pairs.texts import join_sentences
from tests.engine.alignment.made import Link, links_of, strict

PAIRS = (
    *("deu fra", "eng deu", "spa fin", "fra rus"),
    *("tur ara", "hin cmn", "fin deu", "ara fra"),
)
SHARES_REMOVED = (0.02, 0.05, 0.10)
SHARE_JOINED, SHARE_SPLIT, SHARE_FREE = 0.12, 0.08, 0.5
N_ARTICLES = 16  # of a document
SKIPS = (0.3, 0.5, 0.55, 0.6, 0.65, 0.8)


class Case(NamedTuple):
    """Two documents as spans, and the links between them."""

    sides: list[Spans]
    n_sentences: int
    gold: list[Link]


def main() -> None:
    """Print strict F1 and the share of unlinked sentences for each value."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--news", type=Path, required=True)
    parser.add_argument("--test", action="store_true", help="use the other articles")
    options = parser.parse_args()
    with lzma.open(options.news, "rt", encoding="utf-8") as stream:
        head, *rows = [line.rstrip("\n").split("\t") for line in stream]
    articles: dict[str, list[list[str]]] = {}
    for row in rows:
        articles.setdefault(row[0], []).append(row)
    half = list(articles.values())[int(options.test) :: 2]
    for share_free in (0.0, SHARE_FREE):
        cases = make_cases(half, head, share_free)
        for skip in SKIPS:
            print(f"{share_free:.0%} free, skip {skip}: {measure(cases, skip)}")


def measure(cases: list[Case], skip: float) -> str:
    """Align all documents with a skip quantile."""
    scores, alone = [], []
    for case in cases:
        settings = AlignmentSettings(quantile=skip)
        path, _ = align(case.sides[0], case.sides[1], settings, Report())
        found = links_of(path.moves.tolist())
        scores.append(strict(found, case.gold).f1)
        alone.append(share_alone(found, case.n_sentences))
    gold = np.mean([share_alone(case.gold, case.n_sentences) for case in cases])
    return (
        f"strict F1 {np.mean(scores):.4f}, {np.mean(alone):.1%} unlinked "
        f"(gold {gold:.1%})"
    )


def share_alone(links: list[Link], n_sentences: int) -> float:
    """Return the share of sentences of both sides without a link (0…1)."""
    return 1 - sum(len(source) + len(target) for source, target in links) / n_sentences


def make_cases(
    articles: list[list[list[str]]], head: list[str], share_free: float
) -> list[Case]:
    """Make a document of each language pair and share of removed sentences."""
    encoder = load_encoder("")
    cases: list[Case] = []
    for pair in PAIRS:
        languages = pair.split()
        columns = [head.index(language) for language in languages]
        for share in SHARES_REMOVED:
            random = np.random.default_rng(100 + len(cases))
            chosen = random.permutation(len(articles))[:N_ARTICLES]
            rows = [row for index in chosen for row in articles[index]]
            texts = [[row[column] for column in columns] for row in rows]
            sides, gold = make_document(texts, languages, share, random)
            if share_free:
                sides = [shorten(side, share_free, random) for side in sides]
            spans = [
                encode_spans(encoder, side, language, 4, Report(), "encode")
                for side, language in zip(sides, languages, strict=True)
            ]
            cases.append(Case(spans, sum(map(len, sides)), gold))
    return cases


def make_document(
    rows: list[list[str]],
    languages: list[str],
    share_removed: float,
    random: np.random.Generator,
) -> tuple[list[list[str]], list[Link]]:
    """Join, split and remove sentences; returns both sides and the links."""
    sides: list[list[str]] = [[], []]
    gold: list[Link] = []
    i = 0
    while i < len(rows):
        chance, changed = random.random(), int(random.integers(2))
        if chance < share_removed:
            sides[changed].append(rows[i][changed])
            i += 1
            continue
        n = 1
        if chance < share_removed + SHARE_JOINED:
            n = min(int(random.integers(2, 4)), len(rows) - i)
        places = []
        for side in (0, 1):
            texts = [row[side] for row in rows[i : i + n]]
            if side == changed and n > 1:
                texts = [join_sentences(texts, languages[side])]
            elif side == changed and chance > 1 - SHARE_SPLIT:
                texts = split_clause(texts[0])
            first = len(sides[side])
            sides[side] += texts
            places.append(tuple(range(first, first + len(texts))))
        gold.append((places[0], places[1]))
        i += n
    return sides, gold


def split_clause(text: str) -> list[str]:
    """Split a sentence at the comma nearest to its middle, if there is one."""
    cuts = [i + 1 for i, sign in enumerate(text) if sign in ",;:，、"]
    cuts = [cut for cut in cuts if 0.25 < cut / len(text) < 0.75]
    if not cuts:
        return [text]
    middle = min(cuts, key=lambda cut: abs(cut - len(text) / 2))
    return [text[:middle].strip(), text[middle:].strip()]


def shorten(texts: list[str], share: float, random: np.random.Generator) -> list[str]:
    """Remove a third to a half of consecutive words from a share of the sentences."""
    made = []
    for text in texts:
        gap = " " if " " in text else ""
        words = text.split() if gap else list(text)
        if len(words) >= 6 and random.random() < share:
            n = int(len(words) * random.uniform(0.3, 0.55))
            start = int(random.integers(0, len(words) - n + 1))
            words = words[:start] + words[start + n :]
        made.append(gap.join(words))
    return made


if __name__ == "__main__":
    main()
