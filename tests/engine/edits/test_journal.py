"""Small changes: effects, and undo and redo after a restart."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import insert, select, update

from app.engine.edits.journal import apply_edit
from app.engine.project.project import (
    Project,
    create_project,
    open_project,
    open_read_only,
)
from app.engine.store import corpora as store_corpora
from app.engine.store import schema
from app.engine.store.embeddings import EmbeddingKey, begin_embedding, list_embeddings
from app.engine.store.journal import list_searches, list_view_states
from app.engine.store.runs import list_runs
from app.engine.store.sentences import read_note, read_sentences
from app.errors import UserError
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits import Change
from app.protocol.edits.general import (
    AddSearch,
    DropRun,
    Redo,
    RenameCorpus,
    SaveViewState,
    SetCorpusLanguage,
    SetCorpusState,
    SetNote,
    SetRunState,
    Undo,
)
from tests.engine.search.made import add_corpus


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "letters.isogloss") as project:
        add_corpus(project, "harbour", "eng", ["a ship", "a boat"])
        add_corpus(project, "Hafen", "deu", ["ein Schiff"])
        yield project


def _apply(project: Project, change: Change) -> EditAnswer:
    return apply_edit(project, change, lambda kind, id_: None)


def _corpora(project: Project) -> list[tuple[str, str]]:
    return [(c.name, c.language) for c in store_corpora.list_corpora(project.store)]


def test_a_renamed_corpus_gets_its_name_back_by_undo(project: Project) -> None:
    changed: list[tuple[str, int]] = []
    answer = apply_edit(
        project, RenameCorpus(1, "port"), lambda kind, id_: changed.append((kind, id_))
    )
    assert answer == EditAnswer(
        1, "Renamed harbour to port.", can_undo=True, can_redo=False
    )
    assert changed == [("corpus", 1)]
    assert _corpora(project)[0][0] == "port"
    answer = _apply(project, Undo())
    assert _corpora(project)[0][0] == "harbour"
    assert answer.text == "Undone. Renamed port to harbour."
    assert (answer.can_undo, answer.can_redo) == (False, True)


def test_undo_and_redo_go_over_many_changes_and_restarts(tmp_path: Path) -> None:
    folder = tmp_path / "letters.isogloss"
    with create_project(folder) as project:
        add_corpus(project, "n0", "en", ["a"])
        for i in range(1, 6):
            _apply(project, RenameCorpus(1, f"n{i}"))
    with open_project(folder) as project:
        for i in range(4, -1, -1):
            _apply(project, Undo())
            assert _corpora(project)[0][0] == f"n{i}"
        with pytest.raises(UserError, match="nothing to undo"):
            _apply(project, Undo())
    with open_project(folder) as project:
        for i in range(1, 6):
            answer = _apply(project, Redo())
            assert _corpora(project)[0][0] == f"n{i}"
        assert not answer.can_redo
        with pytest.raises(UserError, match="nothing to redo"):
            _apply(project, Redo())


def test_many_changes_are_undone_at_once_or_none(project: Project) -> None:
    for name in "abc":
        _apply(project, RenameCorpus(1, name))
    with pytest.raises(UserError, match="Only 3 changes can be undone, not 4"):
        _apply(project, Undo(4))
    assert _corpora(project)[0][0] == "c"
    answer = _apply(project, Undo(2))
    assert answer.text == "Undone. 2 changes."
    assert _corpora(project)[0][0] == "a"
    _apply(project, Redo())
    assert _corpora(project)[0][0] == "b"


def test_a_new_change_drops_what_was_undone(project: Project) -> None:
    _apply(project, RenameCorpus(1, "a"))
    _apply(project, RenameCorpus(1, "b"))
    _apply(project, Undo())
    assert not _apply(project, RenameCorpus(2, "c")).can_redo
    _apply(project, Undo())
    _apply(project, Undo())
    assert [name for name, _ in _corpora(project)] == ["harbour", "Hafen"]


def test_deleted_corpora_come_back_together(project: Project) -> None:
    answer = _apply(project, SetCorpusState((1, 2), "deleted"))
    assert answer.text == "Deleted the corpora “harbour”, “Hafen”."
    assert _corpora(project) == []
    assert _apply(project, Undo()).text == (
        "Undone. Restored the corpora “harbour”, “Hafen”."
    )
    assert len(_corpora(project)) == 2


def test_undo_of_a_deletion_leaves_alone_what_was_deleted_before(
    project: Project,
) -> None:
    _apply(project, SetCorpusState((1,), "deleted"))
    _apply(project, SetCorpusState((1, 2), "deleted"))
    _apply(project, Undo())
    assert [name for name, _ in _corpora(project)] == ["Hafen"]


def test_a_corpus_under_import_is_not_deleted(project: Project) -> None:
    with project.store.begin() as connection:
        connection.execute(
            update(schema.corpus)
            .where(schema.corpus.c.id == 1)
            .values(state="importing")
        )
    with pytest.raises(UserError, match="harbour is being imported"):
        _apply(project, SetCorpusState((1,), "deleted"))


def test_a_corrected_language_reaches_the_sentences(project: Project) -> None:
    answer = _apply(project, SetCorpusLanguage(1, "swh"))
    assert answer.text.startswith("harbour is in Swahili")
    corpus = store_corpora.list_corpora(project.store)[0]
    assert (corpus.language, corpus.language_given) == ("sw", "swh")
    ids = [store_corpora.first_sentence_id(1), store_corpora.first_sentence_id(2)]
    languages = [row and row.language for row in read_sentences(project.store, ids)]
    assert languages == ["sw", "de"]
    _apply(project, Undo())
    corpus = store_corpora.list_corpora(project.store)[0]
    assert (corpus.language, corpus.language_given) == ("en", "eng")


def test_a_note_is_written_changed_and_taken_away(project: Project) -> None:
    sentence = store_corpora.first_sentence_id(1)
    _apply(project, SetNote(sentence, "old"))
    _apply(project, SetNote(sentence, "new"))
    assert read_note(project.store, sentence) == "new"
    _apply(project, Undo())
    assert read_note(project.store, sentence) == "old"
    _apply(project, SetNote(sentence, ""))
    assert read_note(project.store, sentence) == ""
    _apply(project, Undo())
    assert read_note(project.store, sentence) == "old"


def test_a_note_on_a_sentence_that_is_gone_is_refused(project: Project) -> None:
    with pytest.raises(UserError, match="not in the project any more"):
        _apply(project, SetNote(store_corpora.first_sentence_id(1) + 2, "x"))
    with pytest.raises(UserError, match="not in the project any more"):
        _apply(project, RenameCorpus(9, "x"))
    assert _apply(project, AddSearch("x", {})).can_undo is False


def test_searches_and_view_states_are_kept_but_not_undoable(project: Project) -> None:
    answer = _apply(project, AddSearch("a ship", {"k": 5}))
    assert list_searches(project.store) == [(answer.id, "a ship", '{"k":5}')]
    first = _apply(project, SaveViewState(None, {"view": "search"}))
    second = _apply(project, SaveViewState(first.id, {"view": "corpora"}))
    assert second == msgspec.structs.replace(first, can_undo=False)
    ((id_, _, state),) = list_view_states(project.store)
    assert (id_, state) == (first.id, {"view": "corpora"})
    with pytest.raises(UserError, match="session 77"):
        _apply(project, SaveViewState(77, {}))


def test_a_dropped_run_takes_what_it_left_half_done_along(project: Project) -> None:
    values = {"task": "encode", "params": "{}", "started_at": 0.0}
    with project.store.begin() as connection:
        for state in ("interrupted", "finished"):
            connection.execute(insert(schema.run).values(state=state, **values))
        connection.execute(
            update(schema.corpus)
            .where(schema.corpus.c.id == 2)
            .values(state="importing", run_id=1)
        )
    key = EmbeddingKey(1, "words", "f" * 64, 4, 2)
    row = begin_embedding(project.store, key, run=1)
    part = project.folder / "arrays" / f"{row.array}.unit.npy.part"
    part.touch()
    _apply(project, DropRun(1))
    assert not part.exists()
    assert list_embeddings(project.store) == []
    states = ("ready", "importing", "removing")
    corpora = store_corpora.list_corpora(project.store, states=states)
    assert [corpus.name for corpus in corpora] == ["harbour"]
    assert read_sentences(project.store, [store_corpora.first_sentence_id(2)]) == [None]
    with project.store.connect() as connection:
        of_runs = list(connection.scalars(select(schema.run.c.state)))
    assert of_runs == ["cancelled", "finished"]
    with pytest.raises(UserError, match="Run 2 has no progress"):
        _apply(project, DropRun(2))


def test_a_deleted_run_is_not_listed_and_comes_back_by_undo(project: Project) -> None:
    values = {"task": "train-grid", "params": "{}", "started_at": 0.0}
    states = ("failed", "cancelled", "finished", "interrupted", "running")
    with project.store.begin() as connection:
        for state in states:
            connection.execute(insert(schema.run).values(state=state, **values))
    folder = project.folder / "encoders" / ".depth-1.training-0a"
    folder.mkdir(parents=True)
    (folder / "run").write_text("1\n")
    answer = _apply(project, SetRunState(runs=(1, 2, 3), state="deleted"))
    assert answer.text == "3 runs deleted."
    assert [run.id for run in list_runs(project.store)] == [5, 4]
    assert not folder.exists()
    for run in (4, 5):
        with pytest.raises(UserError, match="is active or can be resumed"):
            _apply(project, SetRunState(runs=(run,), state="deleted"))
    assert _apply(project, Undo()).text == "Undone. 3 runs restored."
    assert [run.state for run in reversed(list_runs(project.store))] == list(states)
    _apply(project, Redo())
    assert [run.id for run in list_runs(project.store)] == [5, 4]


def test_a_project_open_for_reading_is_not_changed(project: Project) -> None:
    with (
        open_read_only(project.folder) as reading,
        pytest.raises(UserError, match="for reading only"),
    ):
        _apply(reading, RenameCorpus(1, "x"))
