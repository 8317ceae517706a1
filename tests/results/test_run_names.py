"""What a run works on, in few words."""

from typing import Any

import pytest

from app.params import build_params
from app.params.base import TaskParams
from app.params.classify import EvaluateTransfer
from app.params.corpora import ImportCorpus
from app.params.mining import MinePairs
from app.params.pairs import ExportPairs
from app.params.training.encoder import TrainEncoder
from app.params.vectors import Encode
from app.results.run_names import describe_objects


@pytest.mark.parametrize(
    ("struct", "values", "expected"),
    [
        (
            ImportCorpus,
            {"files": ["/texts/a.en.txt", "b/a.fr.txt"]},
            "a.en.txt, a.fr.txt",
        ),
        (
            ImportCorpus,
            {"files": [f"/{n}.txt" for n in range(5)]},
            "0.txt, 1.txt, 2.txt + 2",
        ),
        (
            Encode,
            {"corpora": ["2", "Notes"], "encoder": "tiny"},
            "Briefe, Notes · tiny",
        ),
        (ExportPairs, {"pairs": "2", "out": "/a/b.tsv"}, "letters"),
        (Encode, {"corpora": ["sub-corpus:2"]}, "Storms"),
        (MinePairs, {"source": "2", "target": "Notes"}, "Briefe – Notes"),
        (TrainEncoder, {"name": "quick-1", "corpora": ["2"]}, "quick-1"),
        (
            EvaluateTransfer,
            {"train": "/a/en.tsv", "tests": ["de=/a/de.tsv"], "encoder": "tiny"},
            "de=de.tsv · tiny",
        ),
    ],
)
def test_a_run_is_named_after_its_objects(
    struct: type[TaskParams], values: dict[str, Any], expected: str
) -> None:
    params = build_params(struct, values)
    names = {"2": "Briefe", "pair set 2": "letters", "sub-corpus:2": "Storms"}
    assert describe_objects(params, names) == expected
