"""Kept lists of hits: changes with undo, and the way into a corrected text."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert, select

from app.engine.edits.journal import apply_edit
from app.engine.project.project import Project, create_project, open_read_only
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.sentences import read_integers, read_sentences
from app.engine.store.words.hit_lists import (
    find_hit_list,
    list_hit_lists,
    read_saved_hits,
)
from app.engine.tasks.concordance import concordance
from app.engine.tasks.move_hits import move_hits
from app.engine.text.normalisation import text_hashes
from app.engine.words.realignment import (
    LOST,
    TextVersions,
    realign_sentences,
    realign_span,
)
from app.errors import UserError
from app.params.words import Concordance, MoveHits
from app.protocol.edits.corpora import RenameHitList, SaveHits, SetHitListState
from app.protocol.edits.general import Redo, Undo
from app.results.moved_hits import MoveHitsResult
from tests.engine.search.made import add_corpus

OLD = [
    "The cat came in.",  # 1
    "Nobody saw the cat.",  # 2
    "Yes.",  # 3
    "A cat is a cat.",  # 4
    "Yes, the cat.",  # 5
    "Rain fell on the town.",  # 6
    "Yes, the cat.",  # 7
    "The teh cat slept on mats.",  # 8
    "A cat nobody will miss.",  # 9
    "The end of it all.",  # 10
]
NEW = [
    "A title that was forgotten.",
    "The cat came in.",  # 1 -> 2
    "Nobody saw the cat.",  # 2 -> 3
    "Yes.",
    "A cat is a cat.",  # 4 -> 5
    "Rain fell on the town.",
    "Yes, the cat.",  # 7 -> 7; 5 is gone
    "The cat slept on mats.",  # 8 -> 8, corrected
    "The end of it all.",
]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "cats.isogloss") as project:
        add_corpus(project, "first", "en", OLD)
        concordance(project, Concordance(text="cat", save="cats"), Report())
        yield project


def _move(project: Project, corpus: str) -> MoveHitsResult:
    return move_hits(project, MoveHits(hits="cats", corpus=corpus), Report())


def test_hits_are_found_again_in_a_corrected_text(project: Project) -> None:
    add_corpus(project, "second", "en", NEW)
    result = _move(project, "second")
    counts = (result.n_stayed, result.n_moved, result.n_changed, result.n_lost)
    assert counts == (1, 4, 1, 2)
    told = [(hit.fate, hit.line, hit.new_line) for hit in result.named]
    assert told == [
        ("lost", 5, None),
        ("lost", 9, None),
        ("changed", 8, 8),
        ("moved", 1, 2),
        ("moved", 2, 3),
        ("moved", 4, 5),
        ("moved", 4, 5),
    ]
    assert result.message == (
        "cats in second: 6 hits; 1 stayed, 4 moved to another line or document, 1 is "
        "in a text that was corrected, 2 are lost."
    )
    kept = read_saved_hits(project.store, result.hits)
    texts = [
        row.text
        for row in read_sentences(project.store, kept.lines[:, 0].tolist())
        if row
    ]
    found = [
        t[b:e] for t, (b, e) in zip(texts, kept.lines[:, 1:].tolist(), strict=True)
    ]
    assert found == ["cat"] * 6
    assert kept.numbers.tolist() == [2, 3, 5, 5, 7, 8]
    hashes = read_integers(project.store, 2, "hash")
    assert (kept.hashes == hashes[kept.lines[:, 0] - first_sentence_id(2)]).all()


def test_what_became_of_each_hit_is_among_the_findings(project: Project) -> None:
    add_corpus(project, "second", "en", NEW)
    row = {
        "corpus_id": 2,
        "first": 2,
        "n_sentences": 9,
        "name": "Log/2",
        "fields": "{}",
    }
    with project.store.begin() as connection:
        connection.execute(insert(schema.document), row)
    report = Report(run=_run_row(project))
    result = move_hits(
        project, MoveHits(hits="cats", corpus="second", name="x"), report
    )
    table = schema.finding
    query = select(table.c.kind, table.c.sentence_id, table.c.detail)
    query = query.where(table.c.run_id == report.run).order_by(table.c.place)
    with project.store.connect() as connection:
        told = [tuple(row) for row in connection.execute(query)]
    assert len(told) == 7
    assert told[0] == ("moved", first_sentence_id(2) + 1, "Line 1 → 2: moved.")
    assert told[4] == ("lost", first_sentence_id(1) + 4, "Line 5: lost.")
    assert told[5] == ("changed", first_sentence_id(2) + 7, "Log/2, line 8: changed.")
    assert [hit.document for hit in result.named[:4]] == ["", "", "Log/2", ""]
    assert [row.name for row in list_hit_lists(project.store)] == ["cats", "x"]


def _run_row(project: Project) -> int:
    from app.engine.project.runs import queue_run

    return queue_run(project, MoveHits(hits="cats", corpus="second"))


def test_hits_of_other_corpora_stay_where_they_are(project: Project) -> None:
    add_corpus(project, "other", "en", ["My cat, too."])
    params = Concordance(text="cat", save="both", sort=("L1",))
    concordance(project, params, Report())
    add_corpus(project, "second", "en", OLD)
    result = move_hits(project, MoveHits(hits="both", corpus="second"), Report())
    assert (result.n_stayed, result.n_others, result.n_lost) == (8, 1, 0)
    before = read_saved_hits(project.store, find_hit_list(project.store, "both").id)
    after = read_saved_hits(project.store, result.hits)
    shift = np.where(
        before.lines[:, 0] // first_sentence_id(1) == 1, first_sentence_id(2), 0
    )
    assert (after.lines[:, 0] == before.lines[:, 0] + shift).all()
    assert (after.lines[:, 1:] == before.lines[:, 1:]).all()


def test_a_hit_in_another_document_has_moved_though_its_line_is_the_same(
    project: Project,
) -> None:
    add_corpus(project, "second", "en", OLD)
    places = ((1, 0, "a"), (1, 3, "b"), (2, 0, "a"), (2, 3, "c"))
    sizes = {"n_sentences": 3, "fields": "{}"}
    rows = [
        {"corpus_id": id_, "first": first, "name": name} | sizes
        for id_, first, name in places
    ]
    with project.store.begin() as connection:
        connection.execute(insert(schema.document), rows)
    result = _move(project, "second")
    assert (result.n_stayed, result.n_moved) == (5, 3)
    assert {(hit.old_document, hit.document) for hit in result.named} == {("b", "c")}


def test_a_list_that_cannot_be_moved_is_said(project: Project) -> None:
    with pytest.raises(UserError, match="already belongs to first"):
        _move(project, "first")
    add_corpus(project, "strange", "de", ["Ganz andere Texte."])
    with pytest.raises(UserError, match="strange contains no hit of"):
        _move(project, "strange")
    with pytest.raises(UserError, match=r"no hit list 'dogs'; the project has cat"):
        move_hits(project, MoveHits(hits="dogs", corpus="first"), Report())
    with (
        open_read_only(project.folder) as reading,
        pytest.raises(UserError, match="is read-only, so hits can't be saved"),
    ):
        concordance(reading, Concordance(text="cat", save="x"), Report())
    with pytest.raises(UserError, match="name of the hit list is empty"):
        concordance(project, Concordance(text="cat", save="  "), Report())


def test_changes_of_lists_are_undone_and_made_again(project: Project) -> None:
    def names() -> list[str]:
        return [row.name for row in list_hit_lists(project.store)]

    def change(value: RenameHitList | SetHitListState | Undo | Redo) -> None:
        apply_edit(project, value, lambda *_: None)

    change(RenameHitList(hits=1, name=" felines "))
    change(SetHitListState(lists=(1,), state="deleted"))
    assert names() == []
    change(Undo())
    assert names() == ["felines"]
    change(Undo())
    assert names() == ["cats"]
    change(Redo())
    assert names() == ["felines"]
    with pytest.raises(UserError, match="not in the project any more"):
        change(SetHitListState(lists=(7,), state="deleted"))
    with pytest.raises(UserError, match="name of the list is empty"):
        change(RenameHitList(hits=1, name="\n"))


def test_sentences_are_saved_as_hits_and_opened_by_the_concordance(
    project: Project,
) -> None:
    def change(value: SaveHits | Undo | Redo) -> None:
        apply_edit(project, value, lambda *_: None)

    first = first_sentence_id(1)
    ids = (first + 1, first)
    saved = SaveHits(name=" near ", text="felines", sentences=(*ids, 99 * first))
    change(saved)
    row = list_hit_lists(project.store)[-1]
    assert (row.name, row.n_hits) == ("near", 2), "one sentence is not there"
    result = concordance(project, Concordance(hits="near"), Report())
    assert [(line.sentence, line.left, line.right) for line in result.lines] == [
        (ids[0], "", ""),
        (ids[1], "", ""),
    ]
    change(Undo())
    assert "near" not in [row.name for row in list_hit_lists(project.store)]
    change(Redo())
    assert "near" in [row.name for row in list_hit_lists(project.store)]
    with pytest.raises(UserError, match="not in the project any more"):
        change(SaveHits(name="x", text="", sentences=(99 * first,)))
    change(SaveHits(name="words", text="cat", sentences=(first + 3,), words=True))
    result = concordance(project, Concordance(hits="words"), Report())
    assert [(line.left, line.hit, line.right) for line in result.lines] == [
        ("A ", "cat", " is a cat."),
        ("A cat is a ", "cat", "."),
    ], "in context, as the concordance of the word"


@pytest.mark.parametrize(
    ("old", "new", "hit", "found"),
    [
        ("see teh cat", "see the cat", "cat", "cat"),
        ("a cat and a cat", "cat and a cat", "cat", "cat"),
        ("the colour red", "the color red", "colour", "color"),
        ("das Hauss am See", "das Haus am See", "Hauss", "Haus"),
        ("رأى الولد القطه", "ثم رأى الولد القطة", "الولد", "الولد"),
        ("黒い描がいる", "黒い猫がいる", "がいる", "がいる"),
        ("see the cat", "see the dog", "cat", None),
        ("on and on", "only and on", "on", "on"),
    ],
)
def test_words_are_found_again_in_a_corrected_sentence(
    old: str, new: str, hit: str, found: str | None
) -> None:
    begin = old.index(hit)
    span = realign_span(old, new, (begin, begin + len(hit)))
    assert (new[slice(*span)] if span else None) == found


@given(st.data())
def test_sentences_that_are_moved_by_insertions_and_deletions_alone_are_found(
    data: st.DataObject,
) -> None:
    old = [f"sentence number {i} {'x' * (i % 7)}" for i in range(30)]
    kept = sorted(data.draw(st.sets(st.integers(0, 29))))
    new = [old[i] for i in kept]
    for index in data.draw(st.lists(st.integers(0, len(new)), max_size=5)):
        new.insert(index, f"{index} something that was never there before {index}")
    sides = TextVersions(
        text_hashes(old),
        text_hashes(new) if new else np.empty(0, np.int64),
        lambda rows: [old[row] for row in rows],
        lambda rows: [new[row] for row in rows],
    )
    found = realign_sentences(sides, np.arange(30))
    for i, index in enumerate(found.tolist()):
        if i in kept:
            assert new[index] == old[i]
        elif index != LOST:  # taken for one corrected: never twice, never an equal one
            assert new[index] != old[i]
    places = found[found != LOST]
    assert len(set(places.tolist())) == len(places)
