"""Shares of the languages in a vocabulary's sample."""

from pathlib import Path

import numpy as np

from app.engine.runtime.report import Report
from app.engine.training.vocabulary_sample import plan_sample, share_quota, write_sample
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
