"""Pairs added by hand: stored in a separate set, undone, redone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.project.project import Project, create_project
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.sets import first_pair_id, list_pair_sets, read_pairs
from app.errors import UserError
from app.protocol.edits.general import Redo, Undo
from app.protocol.edits.pairs import AddPair, JudgePairs, RemovePair
from tests.engine.review.made import add_corpora, add_pairs, edit, verdicts

SOURCE, TARGET = first_sentence_id(1), first_sentence_id(2)
FIRST = first_pair_id(2)  # the set made by hand comes behind a mined one


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "port.isogloss") as project:
        add_corpora(project)
        add_pairs(project)
        yield project


def test_pairs_are_added_once_to_one_set_and_can_be_judged(project: Project) -> None:
    first = edit(project, AddPair(source=SOURCE, target=TARGET + 1, cosine=0.8))
    second = edit(project, AddPair(source=SOURCE + 2, target=TARGET))
    again = edit(project, AddPair(source=SOURCE, target=TARGET + 1, cosine=0.8))
    assert [one.id for one in (first, second, again)] == [FIRST, FIRST + 1, FIRST]
    assert again.text == "This pair already exists."
    made, mined = list_pair_sets(project.store)
    assert (made.kind, made.n_pairs, mined.kind) == ("by-hand", 2, "mined")
    assert made.name.endswith("(manual)")
    (row,) = read_pairs(project.store, [FIRST])
    assert row is not None
    assert (row.source_id, row.target_id, row.cosine) == (SOURCE, TARGET + 1, 0.8)
    edit(project, JudgePairs(pairs=(FIRST,), verdict="accept"))
    assert verdicts(project, made.id, 1) == ["accept"]


def test_undo_takes_the_pair_and_an_empty_set_and_redo_brings_the_same(
    project: Project,
) -> None:
    edit(project, AddPair(source=SOURCE, target=TARGET, cosine=0.5))
    edit(project, JudgePairs(pairs=(FIRST,), verdict="reject"))
    edit(project, Undo(n=2))
    assert [row.kind for row in list_pair_sets(project.store)] == ["mined"]
    assert read_pairs(project.store, [FIRST]) == [None]
    edit(project, Redo())
    edit(project, Redo())
    assert verdicts(project, 2, 1) == ["reject"]


def test_what_was_said_of_a_pair_that_is_gone_is_never_said_of_another(
    project: Project,
) -> None:
    edit(project, AddPair(source=SOURCE, target=TARGET))
    edit(project, JudgePairs(pairs=(FIRST,), note="no"))
    edit(project, Undo(n=2))
    other = edit(project, AddPair(source=SOURCE + 1, target=TARGET + 1))
    assert other.id == first_pair_id(3)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (AddPair(source=SOURCE, target=SOURCE), "two different sentences"),
        (AddPair(source=SOURCE, target=TARGET + 999), "not in the project any more"),
        (RemovePair(pair=first_pair_id(1)), "not in the project any more"),
    ],
)
def test_bad_pairs_are_refused(
    project: Project, change: AddPair | RemovePair, reason: str
) -> None:
    with pytest.raises(UserError, match=reason):
        edit(project, change)
    assert len(list_pair_sets(project.store)) == 1
