"""Beads are split, merged and moved by hand; every step can be undone, and again."""

from pathlib import Path

import pytest

from app.engine.alignment.manual_scores import score_manual_links
from app.engine.edits.alignments import merge_beads, move_boundary
from app.engine.edits.journal import apply_edit
from app.engine.numeric import normalise_rows
from app.engine.project.project import Project, create_project, open_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id, position_of
from app.engine.store.pairs.beads import Bead, write_alignment
from app.engine.store.pairs.sets import (
    NewPairSet,
    PairSetCounts,
    first_pair_id,
    list_pair_sets,
    read_current_judgements,
    read_pair_integers,
    read_pairs,
)
from app.errors import UserError
from app.protocol.edits import Change
from app.protocol.edits.alignments import (
    AlignmentChange,
    MergeBead,
    MoveBoundary,
    SplitBead,
    UnlinkBead,
)
from app.protocol.edits.general import Redo, Undo
from app.protocol.edits.pairs import JudgePairs
from tests.engine.search.made import WordEncoder, add_corpus

SHAPES = ["1:1", "2:2", "1:0", "0:1", "1:1"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    with create_project(tmp_path / "letters.isogloss") as project:
        for name in ("one", "other"):
            add_corpus(project, name, "en", [f"{name} {i}" for i in range(5)])
        beads, i, j = [], 0, 0
        for shape in SHAPES:
            n, m = map(int, shape.split(":"))
            beads.append(
                Bead(first_sentence_id(1) + i, n, first_sentence_id(2) + j, m, 0.5, 0.9)
            )
            i, j = i + n, j + m
        new = NewPairSet(
            "letters", "aligned", 1, 2, "", "", "e", "f", "distance", 0, "", None, []
        )
        write_alignment(project.store, new, beads, PairSetCounts(3, 0, "{}"), None)
        return project


def bead(index: int) -> int:
    """Return the id of the bead that begins at the sum of two positions."""
    return first_pair_id(1) + index


def shapes(project: Project) -> list[str]:
    """Return how the beads are now; they must follow each other."""
    ids = read_pair_integers(project.store, 1, "id").tolist()
    found, i, j = [], 0, 0
    for row in read_pairs(project.store, ids):
        assert row is not None
        assert (position_of(row.source_id), position_of(row.target_id)) == (i, j)
        i, j = i + row.n_source, j + row.n_target
        found.append(f"{row.n_source}:{row.n_target}")
    assert (i, j) == (5, 5)
    return found


def make(project: Project, change: Change) -> list[tuple[str, int]]:
    changed: list[tuple[str, int]] = []
    apply_edit(project, change, lambda kind, id_: changed.append((kind, id_)))
    return changed


def accepted(project: Project) -> list[int]:
    ids = read_pair_integers(project.store, 1, "id").tolist()
    held = read_current_judgements(project.store, ids)
    return [id_ - bead(0) for id_, row in held.items() if row.verdict == "accept"]


@pytest.mark.parametrize(
    ("change", "after"),
    [
        (SplitBead(bead=bead(2)), ["1:1", "1:1", "1:1", "1:0", "0:1", "1:1"]),
        (SplitBead(bead=bead(0)), ["1:0", "0:1", "2:2", "1:0", "0:1", "1:1"]),
        (UnlinkBead(bead=bead(2)), ["1:1", "2:0", "0:2", "1:0", "0:1", "1:1"]),
        (MergeBead(bead=bead(6)), ["1:1", "2:2", "1:1", "1:1"]),
        (MergeBead(bead=bead(0)), ["3:3", "1:0", "0:1", "1:1"]),
        (
            MoveBoundary(bead=bead(0), side="source", by=1),
            ["2:1", "1:2", "1:0", "0:1", "1:1"],
        ),
        (
            MoveBoundary(bead=bead(0), side="target", by=-1),
            ["1:0", "2:3", "1:0", "0:1", "1:1"],
        ),
        (
            MoveBoundary(bead=bead(6), side="source", by=-1),
            ["1:1", "2:2", "1:1", "1:1"],
        ),
        (
            MoveBoundary(bead=bead(8), side="target", by=-1),
            ["1:1", "2:2", "1:0", "0:1", "1:0", "0:1"],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_change_is_made_undone_and_made_again(
    project: Project, change: AlignmentChange, after: list[str]
) -> None:
    changed = make(project, change)
    assert shapes(project) == after
    (row,) = list_pair_sets(project.store)
    assert ("mining", 1) in changed or row.n_pairs == 3
    assert row.n_pairs == sum("0" not in shape for shape in after)
    before = make(project, Undo())
    assert shapes(project) == SHAPES
    assert sorted(before) == sorted(changed)
    (row,) = list_pair_sets(project.store)
    assert row.n_pairs == 3
    make(project, Redo())
    assert shapes(project) == after


def test_undo_and_redo_say_that_a_link_is_confirmed_or_no_more(
    project: Project,
) -> None:
    def change(what: Change) -> str:
        return apply_edit(project, what, lambda kind, id_: None).text

    change(JudgePairs(pairs=(bead(0),), verdict="accept"))
    undone = "Undone. The link “one 0” is not confirmed any more."
    assert change(Undo()) == undone
    assert change(Redo()) == "Done again. The link “one 0” is confirmed."
    rejected = "The link “one 0” is rejected."
    assert change(JudgePairs(pairs=(bead(0),), verdict="reject")) == rejected
    assert change(Undo()) == "Undone. The link “one 0” is confirmed."


def test_undo_brings_back_scores_and_survives_a_restart(project: Project) -> None:
    make(project, MergeBead(bead=bead(0)))
    make(project, SplitBead(bead=bead(0)))
    project.close()
    with open_project(project.folder) as project:
        make(project, Undo())
        make(project, Undo())
        assert shapes(project) == SHAPES
        (first,) = read_pairs(project.store, [bead(0)])
        assert first is not None
        assert (first.score, first.cosine) == (0.5, 0.9)


def test_a_link_made_by_hand_is_accepted_until_it_is_undone(project: Project) -> None:
    make(project, SplitBead(bead=bead(2)))
    assert accepted(project) == [2, 4]
    make(project, UnlinkBead(bead=bead(2)))
    assert accepted(project) == [4]
    make(project, Undo())
    assert accepted(project) == [2, 4]
    make(project, Undo())
    assert accepted(project) == []


def test_what_was_said_of_another_link_in_the_place_holds_no_more(
    project: Project,
) -> None:
    make(project, JudgePairs(pairs=(bead(2),), verdict="reject", source_text="x"))
    make(project, MoveBoundary(bead=bead(2), side="source", by=-1))
    row = read_current_judgements(project.store, [bead(2)])[bead(2)]
    assert (row.verdict, row.source_text) == ("accept", None)
    make(project, Undo())
    row = read_current_judgements(project.store, [bead(2)])[bead(2)]
    assert (row.verdict, row.source_text) == ("reject", "x")


def test_a_link_by_hand_is_scored_by_the_encoder_of_the_alignment(
    project: Project,
) -> None:
    encoder = WordEncoder(dim=64)
    with project.store.begin() as connection:
        values = {"fingerprint": encoder.fingerprint, "encoder": encoder.name}
        connection.execute(schema.mining.update().values(**values))
    make(project, SplitBead(bead=bead(2)))
    made = [bead(2), bead(4)]
    assert score_manual_links(project, [*made, bead(6)], lambda _: encoder) == made
    first, _ = read_pairs(project.store, made)
    assert first is not None
    unit_vectors, _ = normalise_rows(encoder.encode(["one 1", "other 1"]))
    assert first.cosine == pytest.approx(float(unit_vectors[0] @ unit_vectors[1]))
    assert first.score == pytest.approx(first.cosine)  # the others' means are 0
    assert score_manual_links(project, made, lambda _: encoder) == []  # scored already
    make(project, SplitBead(bead=bead(0)))
    make(project, MergeBead(bead=bead(0)))
    other = WordEncoder(dim=32)
    assert score_manual_links(project, [bead(0)], lambda _: other) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (SplitBead(bead=bead(6)), "One sentence alone"),
        (UnlinkBead(bead=bead(6)), "no link to move"),
        (MergeBead(bead=bead(8)), "no link after this one"),
        (MoveBoundary(bead=bead(7), side="source", by=-1), "link has no source"),
        (MoveBoundary(bead=bead(8), side="source", by=1), "next link has no source"),
        (SplitBead(bead=bead(1)), "not in the project any more"),
    ],
)
def test_what_cannot_be_done_changes_nothing(
    project: Project, change: AlignmentChange, words: str
) -> None:
    with pytest.raises(UserError, match=words):
        make(project, change)
    assert shapes(project) == SHAPES
    with pytest.raises(UserError, match="nothing to undo"):
        make(project, Undo())


@pytest.mark.parametrize("side", ["source", "target"])
def test_nothing_is_joined_over_a_sentence_that_took_no_part(side: str) -> None:
    gap = (1, 0) if side == "source" else (0, 1)
    beads = [Bead(5, 1, 9, 1), Bead(6 + gap[0], 1, 10 + gap[1], 1)]
    with pytest.raises(UserError, match="was not aligned"):
        merge_beads(beads)
    with pytest.raises(UserError, match="was not aligned"):
        move_boundary(beads, side, 1)
