"""Known translations are all sentences of the links and pairs that hold."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.project.project import Project, create_project
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.beads import Bead, read_beads, write_alignment
from app.engine.store.pairs.sets import NewPairSet, PairSetCounts, first_pair_id
from app.engine.store.sentences import (
    count_translations,
    list_translations,
    read_translations,
)
from app.protocol.edits.corpora import HideSentences
from app.protocol.edits.pairs import JudgePairs, SwapRunnerUp
from tests.engine.review.made import add_corpora, add_pairs, edit

SOURCE, TARGET = first_sentence_id(1), first_sentence_id(2)
NEW = NewPairSet("a", "aligned", 1, 2, "", "", "e", "f", "distance", 0, "", None, [])
BEADS = [
    Bead(SOURCE, 1, TARGET, 2),
    Bead(SOURCE + 1, 1, TARGET + 2, 0),
    Bead(SOURCE + 2, 3, TARGET + 2, 2),
    Bead(SOURCE + 5, 1, TARGET + 4, 1),
]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpora(project)
        yield project


def accept(project: Project, *pairs: int) -> None:
    edit(project, JudgePairs(pairs=pairs, verdict="accept"))


def align(project: Project) -> list[int]:
    """Write the alignment, and return the ids of its links."""
    counts = PairSetCounts(3, 0, "{}")
    mining = write_alignment(project.store, NEW, BEADS, counts, None)
    ends = first_pair_id(mining), first_pair_id(mining + 1)
    ids: list[int] = read_beads(project.store, *ends).ids.tolist()
    return ids


def known(project: Project) -> dict[int, list[int]]:
    """Return the known translations of all sentences of both corpora."""
    ids = [first + row for first in (SOURCE, TARGET) for row in range(6)]
    return list_translations(project.store, ids)


def test_each_sentence_of_an_accepted_link_translates_the_whole_other_side(
    project: Project,
) -> None:
    beads = align(project)
    assert known(project) == {}, "nobody accepted a link"
    accept(project, beads[0], beads[2])
    ends = [([SOURCE], [TARGET, TARGET + 1])]
    ends.append(([SOURCE + 2, SOURCE + 3, SOURCE + 4], [TARGET + 2, TARGET + 3]))
    expected = {one: others for own, others in ends for one in own}
    expected |= {one: own for own, others in ends for one in others}
    assert known(project) == expected
    counts = {one: len(others) for one, others in expected.items()}
    assert count_translations(project.store, [*expected]) == counts
    for one, others in expected.items():
        assert [row.id for row in read_translations(project.store, one)] == others


def test_a_hidden_sentence_of_a_link_is_not_counted(project: Project) -> None:
    beads = align(project)
    accept(project, beads[0])
    edit(project, HideSentences(sentences=(TARGET + 1,)))
    assert count_translations(project.store, [SOURCE]) == {SOURCE: 1}
    found = read_translations(project.store, SOURCE)
    assert [row.id for row in found] == [TARGET]


def test_an_accepted_gap_makes_no_translation(project: Project) -> None:
    beads = align(project)
    accept(project, beads[1])
    assert known(project) == {}


def test_a_runner_up_swapped_in_is_one_sentence(project: Project) -> None:
    first = first_pair_id(add_pairs(project, 3))
    edit(project, SwapRunnerUp(pair=first))
    accept(project, first)
    assert known(project) == {SOURCE: [TARGET + 1], TARGET + 1: [SOURCE]}
