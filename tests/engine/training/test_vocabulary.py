"""The sample a vocabulary is trained on, and the languages' shares of it."""

from pathlib import Path

import numpy as np

from app.engine.runtime.report import Report
from app.engine.text.word_vocabulary import WordVocabulary
from app.engine.training.vocabulary import (
    LanguageShare,
    SamplePlan,
    measure_shares,
    plan_sample,
    share_quota,
    write_sample,
)
from tests.engine.training.synthetic import write_pairs


def test_quota_follows_the_root_of_the_size() -> None:
    assert share_quota(np.array([900, 100]), 40, 0.5).tolist() == [30, 10]


def test_what_a_small_group_cannot_give_goes_to_the_others() -> None:
    assert share_quota(np.array([1000, 5]), 100, 0).tolist() == [95, 5]


def test_quota_never_exceeds_what_there_is() -> None:
    assert share_quota(np.array([4, 0, 2]), 100, 0.5).tolist() == [4, 0, 2]


def test_sample_has_english_and_foreign_sentences(tmp_path: Path) -> None:
    files = [
        write_pairs(tmp_path / f"eng-{c}.tsv", 50, seed=i) for i, c in enumerate("ab")
    ]
    out = tmp_path / "sample.txt"
    plan = plan_sample(files, Report(), n_sentences=60, exponent=0.5, seed=1)
    write_sample(plan, out, Report())
    n = plan.n_sentences
    lines = out.read_text(encoding="utf-8").splitlines()
    assert len(lines) == n
    assert 55 <= n <= 60
    n_foreign = sum("я" in line or "ю" in line or "и" in line for line in lines)
    assert 0 < n_foreign < n


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
