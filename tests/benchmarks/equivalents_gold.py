"""Measure how often a word's best equivalent is the translation of a word list.

Run by hand: `python -m tests.benchmarks.equivalents_gold --bitext F --language deu
--words LIST`. The bitext is a table of English and one other language, a pair a line;
the list is a table with a header whose columns are ISO 639-3 codes, synonyms joined by
` | ` (Swadesh lists are kept so). Told are precision at 1 and 5 over the words that
stand in at least five pairs, beside the bare order of Dice's coefficient and of
frequency in the same run.
"""

import argparse
import csv
import lzma
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.tasks.import_corpus import import_corpus
from app.engine.tasks.index_words import index_words
from app.languages import parse_language
from app.params.corpora import ImportCorpus
from app.params.words import IndexWords
from app.protocol.queries.words import EquivalentsQuery

FEWEST = 5  # pairs with the word
Order = Literal["log-likelihood", "dice", "frequency"]
ORDERS: tuple[Order, ...] = ("log-likelihood", "dice", "frequency")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bitext", type=Path, required=True)
    parser.add_argument("--language", required=True, help="ISO 639-3")
    parser.add_argument("--words", type=Path, required=True)
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        create_project(Path(folder) / "p.isogloss") as project,
    ):
        _import(project, given.bitext, given.language)
        desk = SearchSession(project)
        words = list(_read_words(given.words, given.language))
        for order in ORDERS:
            print(_measure(desk, words, given.language, order))


def _import(project: Project, bitext: Path, language: str) -> None:
    params = ImportCorpus(
        files=(bitext,),
        languages=("eng", language),
        columns=("1", "2"),
        names=("english", "other"),
    )
    report = Report()
    import_corpus(project, params, report)
    index_words(project, IndexWords(), report)


def _read_words(file: Path, language: str) -> Iterator[tuple[str, set[str]]]:
    """Return English words of one word and their translations, case-folded."""
    with lzma.open(file, "rt", encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            names = [one.rstrip("?").casefold() for one in row["eng"].split(" | ")]
            own = next((one for one in names if one.isalpha()), "")
            others = {one.strip().casefold() for one in row[language].split(" | ")}
            if own and others - {""}:
                yield own, others - {""}


def _measure(
    desk: SearchSession, words: list[tuple[str, set[str]]], language: str, order: Order
) -> str:
    first = five = n = 0
    for word, wanted in words:
        query = EquivalentsQuery(
            text=word,
            source_language="en",
            target_language=parse_language(language).code,
            order_by=order,
            top=5,
            n_examples=0,
        )
        answer = answer_query(desk, query)
        if answer.n_word < FEWEST:
            continue
        found = [row.item for row in answer.rows]
        n += 1
        first += bool(wanted & set(found[:1]))
        five += bool(wanted & set(found))
    return f"{order}: {n} words, at 1 {first / n:.3f}, at 5 {five / n:.3f}"


if __name__ == "__main__":
    main()
