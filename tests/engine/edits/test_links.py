"""Links are added and removed by hand, with undo; invalid links are rejected."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from app.engine.edits.journal import apply_edit
from app.engine.project.project import Project, create_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.sets import count_links, first_pair_id
from app.errors import UserError
from app.protocol.edits.general import Redo, Undo
from app.protocol.edits.links import BY_HAND, ChangeLinks, LinkValues, UnlinkRejected
from app.protocol.edits.pairs import JudgePairs, JudgeRange
from tests.engine.review.made import NEW, add_pairs
from tests.engine.search.made import add_corpus

ONE, TWO = first_sentence_id(1), first_sentence_id(2)
OLD: LinkValues = (TWO, ONE, "gold", None)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Two corpora; one link begins in the second."""
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "English", "en", ["one", "two"])
        add_corpus(project, "German", "de", ["eins", "zwei"])
        names = ("source_id", "target_id", "kind", "run_id")
        with project.store.begin() as connection:
            values = dict(zip(names, OLD, strict=True))
            connection.execute(insert(schema.link), [values])
        yield project


def links(project: Project) -> list[LinkValues]:
    with project.store.connect() as connection:
        rows = connection.execute(select(schema.link)).all()
    return sorted((row.source_id, row.target_id, row.kind, row.run_id) for row in rows)


def change(project: Project, edit: ChangeLinks | Undo | Redo) -> str:
    return apply_edit(project, edit, lambda _kind, _id: None).text


def test_links_are_replaced_and_come_back_as_they_were(project: Project) -> None:
    new: LinkValues = (ONE + 1, TWO + 1, BY_HAND, None)
    edit = ChangeLinks(added=(new,), removed=((ONE, TWO), (ONE, TWO + 1)))
    assert change(project, edit) == "1 link removed, 1 link added."
    assert links(project) == [new]
    change(project, Undo())
    assert links(project) == [OLD]
    change(project, Redo())
    assert links(project) == [new]
    assert count_links(project.store, 1) == {2: 1}
    assert count_links(project.store, 2) == {1: 1}


def test_a_link_that_is_there_already_is_not_doubled(project: Project) -> None:
    edit = ChangeLinks(added=((ONE, TWO, BY_HAND, None),))
    assert change(project, edit) == "There was nothing to change."
    assert links(project) == [OLD]


def test_links_within_a_corpus_and_to_nothing_are_refused(project: Project) -> None:
    with pytest.raises(UserError, match="one corpus can't be linked"):
        change(project, ChangeLinks(added=((ONE, ONE + 1, BY_HAND, None),)))
    with pytest.raises(UserError, match="not in the project any more"):
        change(project, ChangeLinks(added=((ONE, TWO + 9, BY_HAND, None),)))
    assert links(project) == [OLD]


def test_the_links_of_any_number_of_rejected_pairs_are_removed_in_one_step(
    tmp_path: Path,
) -> None:
    n = 17_000  # both ends of so many are more than SQLite's variables
    with create_project(tmp_path / "large.isogloss") as project:
        add_corpus(project, "English", "en", ["one"] * n)
        add_corpus(project, "German", "de", ["eins"] * n)
        imported = [(TWO + i, ONE + i, "imported", None) for i in range(n)]
        names = ("source_id", "target_id", "kind", "run_id")
        with project.store.begin() as connection:
            rows = [dict(zip(names, row, strict=True)) for row in imported]
            connection.execute(insert(schema.link), rows)
        mining = add_pairs(project, n, new=NEW._replace(kind="scored"))
        apply = partial(apply_edit, project, changed=lambda _kind, _id: None)
        apply(JudgeRange(mining=mining, verdict="reject", lowest=-1e9))
        undone = apply(Undo()).text
        assert undone == "Undone. 17,000 pairs have their earlier judgements again."
        apply(Redo())
        apply(JudgePairs(pairs=(first_pair_id(mining),), verdict="accept"))
        assert apply(UnlinkRejected(mining=mining)).text == "16,999 links removed."
        assert links(project) == imported[:1]
        apply(Undo())
        assert links(project) == imported
        apply(Redo())
        assert links(project) == imported[:1]
        answer = apply(UnlinkRejected(mining=mining))
        assert answer.text == "There was nothing to change."
