"""Which sentences of a test set are elsewhere: one of each kind, each told of once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.project.project import Project, create_project
from app.engine.store.corpora import first_sentence_id
from app.errors import UserError
from app.params.quality import FindLeakage
from tests.engine.quality.made import run_task, use_encoders
from tests.engine.search.made import WordEncoder, add_corpus

TESTS = [
    "Old maps show a canal where the park is.",
    "A farmer counted ninety lambs in spring.",
    "Snow fell on the hills before noon!",
    "The ferry to the island runs twice a day.",
    "Not a word of this stands anywhere.",
]
TRAINED = [
    "The ferry to the island runs twice a day.",
    "snow fell on the hills before noon",
    "A farmer counted ninety lambs in spring time.",
    "Quite another thing altogether, my friend.",
]
OTHER = ["Maps old canal a show the park where is.", "Ferry island the twice runs."]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    use_encoders(monkeypatch, WordEncoder(dim=32))
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "tests", "en", TESTS)
        add_corpus(project, "trained", "en", TRAINED)
        add_corpus(project, "other", "de", OTHER)
        yield project


def test_each_leak_is_told_of_once_by_its_strongest_kind_the_surest_first(
    project: Project,
) -> None:
    result, found = run_task(
        project,
        FindLeakage,
        corpus="tests",
        within=["trained", "other"],
        across_cosine=0.8,
    )
    told = [
        (one.kind, one.sentence_id - first_sentence_id(1), one.other_id)
        for one in found
    ]
    assert told == [
        ("equal", 3, first_sentence_id(2)),
        ("near", 2, first_sentence_id(2) + 1),
        ("near", 1, first_sentence_id(2) + 2),
        ("translation", 0, first_sentence_id(3)),
    ]
    assert (result["leaked"], result["share"]) == (4, 0.8)
    assert (
        "4 of 5 sentences of tests (80.0\u00a0%) found in other, trained"
        in (result["message"])
        or "found in trained, other" in result["message"]
    )
    assert "margin" in found[3].detail


def test_a_corpus_is_not_looked_for_in_itself(project: Project) -> None:
    with pytest.raises(UserError, match="contains only the test sentences"):
        run_task(project, FindLeakage, corpus="tests", within=["tests"])
    result, _ = run_task(
        project, FindLeakage, corpus="tests", within=["tests", "trained"]
    )
    assert (result["within"], result["leaked"]) == (4, 3)
