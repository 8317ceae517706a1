"""Shares of the languages before and after the sampling, counted by hand."""

from pathlib import Path

import numpy as np

from app.engine.runtime.report import Report
from app.engine.text.word_vocabulary import WordVocabulary
from app.engine.training.vocabulary_sample import (
    LanguageShare,
    SamplePlan,
    measure_shares,
)


def write(file: Path, rows: list[str]) -> Path:
    file.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return file


def test_shares_are_those_counted_by_hand(tmp_path: Path) -> None:
    files = (
        write(tmp_path / "eng-deu.tsv", ["a b\tx y z", "c\tx"]),
        write(tmp_path / "eng-fra.tsv", ["a\tu v"]),
    )
    # all of French and of English, one of the two German sentences
    plan = SamplePlan(files, np.array([2, 1]), np.array([2, 1]), np.array([1, 1]), 1)
    german = ["x y z", "x"][int(plan.marks(0)[1].argmax())]
    n_german = len(german.split())
    n_sampled = 4 + n_german + 2
    shares = measure_shares(plan, WordVocabulary(["a", "b", "x", "u", "v"]), Report())
    assert {one.language: one for one in shares} == {
        "eng": LanguageShare("eng", 3, 3, 4 / 10, 4 / n_sampled, 1.0, 1 / 4),
        "deu": LanguageShare(
            "deu", 2, 1, 4 / 10, n_german / n_sampled, 1.0, (n_german - 1) / n_german
        ),
        "fra": LanguageShare("fra", 1, 1, 2 / 10, 2 / n_sampled, 1.0, 0.0),
    }
    assert [one.share_after for one in shares] == sorted(
        (one.share_after for one in shares), reverse=True
    )
