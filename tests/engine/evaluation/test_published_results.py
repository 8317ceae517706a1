"""Pairs with published results: parts of STS-B by scores, STS17 by name."""

import numpy as np

from app.engine.evaluation.published_results import STS_METRIC, read_published, sts_key


def scores(n: int, total: float) -> np.ndarray:
    return np.full(n, total / n)


def test_parts_of_sts_b_are_known_by_their_scores_in_any_file_and_language() -> None:
    test = scores(1_379, 3_596.4)  # a copy with rounded scores
    assert sts_key(test, "x.tsv", "eng") == "stsbtesten"
    assert sts_key(scores(1_500, 3_545.861), "x.tsv", "de_DE") == "stsbdevde"
    assert sts_key(scores(1_379, 3_000.0), "stsb.tsv", "en") == ""
    assert sts_key(scores(1_380, 3_596.317), "stsb.tsv", "en") == ""


def test_sts17_is_known_by_its_name_and_size() -> None:
    assert sts_key(scores(250, 500.0), "STS-17.es.tsv", "es") == "sts17es"
    assert sts_key(scores(250, 500.0), "x.tsv", "es") == ""
    assert sts_key(scores(249, 500.0), "sts17.tsv", "es") == ""


def test_figures_of_sts_have_the_keys_of_their_pairs() -> None:
    published = read_published()
    found = {key for key, metric in published if metric == STS_METRIC}
    parts = {f"stsb{part}{one}" for part in ("dev", "test") for one in ("en", "fr")}
    assert parts | {"sts17es"} < found
    name = "Multi-task (full), en-de (Chidambaram et al. 2019)"
    assert published["stsbdevde", STS_METRIC][name] == 0.768
    assert published["stsbtestde", STS_METRIC][name] == 0.722
