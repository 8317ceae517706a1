"""Results of a job are undone like changes, unless other changes followed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from app.engine.edits.creations import read_journal_end, record_creation
from app.engine.edits.journal import apply_edit
from app.engine.process.session import ProjectSession
from app.engine.project.project import Project, create_project
from app.engine.project.runs import queue_run
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.journal import read_undo_state
from app.engine.store.pairs.sets import list_pair_sets
from app.engine.store.subcorpora import list_subcorpora
from app.engine.tasks.encode import encode
from app.engine.tasks.make_subcorpus import make_subcorpus
from app.params.base import TaskParams
from app.params.corpora import MakeSubcorpus
from app.params.mining import AlignDocuments, MinePairs
from app.params.projection import ProjectMap
from app.params.vectors import Encode
from app.protocol.edits import Change
from app.protocol.edits.general import Redo, SetNote, Undo
from tests.engine.search.made import add_corpus
from tests.samples import sample_texts

N = 12
NOTE = SetNote(sentence=first_sentence_id(1), text="Check the date.")
ALIGN = AlignDocuments(source="German", target="English")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as made:
        add_corpus(made, "German", "de", sample_texts("de", N))
        add_corpus(made, "English", "en", sample_texts("en", N))
        yield made


def edit(project: Project, change: Change) -> None:
    apply_edit(project, change, lambda _kind, _id: None)


def names(project: Project) -> list[str]:
    return [row.name for row in list_pair_sets(project.store)]


@pytest.mark.parametrize(
    ("params", "name"),
    [
        (ALIGN, "German – English (aligned)"),
        (MinePairs(source="German", target="English"), "German – English"),
    ],
)
def test_a_pair_set_that_a_run_made_is_undone_and_redone(
    project: Project, params: TaskParams, name: str
) -> None:
    encode(project, Encode(corpora=("German", "English")), Report())
    run = queue_run(project, params)
    ProjectSession(project).perform(params, Report(run=run), "cpu")
    assert names(project) == [name]
    edit(project, Undo())
    assert names(project) == []
    edit(project, Redo())
    assert names(project) == [name]


def test_a_map_is_undone(project: Project) -> None:
    table = schema.projection
    missing = {
        column.name: 0 if column.type.python_type in (int, float) else "{}"
        for column in table.columns
        if not column.nullable and not column.primary_key and column.default is None
    }
    values = {**missing, "name": "Two languages", "state": "ready"}
    begun = read_journal_end(project)
    with project.store.begin() as connection:
        connection.execute(insert(table).values(id=1, **values))
    params = ProjectMap(corpora=("German",))
    assert record_creation(project, params, {"map": 1}, begun)
    edit(project, Undo())
    with project.store.connect() as connection:
        assert connection.scalar(select(table.c.state)) == "deleted"


def test_a_new_sub_corpus_is_undone_but_not_one_that_is_updated(
    project: Project,
) -> None:
    begun = read_journal_end(project)
    params = MakeSubcorpus(name="Houses", steps=("words the",), corpora=("English",))
    made = make_subcorpus(project, params, Report())
    result = {"subcorpus": made.subcorpus}
    again = MakeSubcorpus(name="Houses", again=True)
    assert not record_creation(project, again, result, begun)
    assert record_creation(project, params, result, begun)
    edit(project, Undo())
    assert list_subcorpora(project.store) == []


def test_changes_made_while_a_job_ran_are_undone_instead(project: Project) -> None:
    begun = read_journal_end(project)
    edit(project, NOTE)
    assert not record_creation(project, ALIGN, {"mining": 1}, begun)
    edit(project, Undo())
    assert not read_undo_state(project.store).can_undo


def test_a_job_that_ends_leaves_what_can_be_redone(project: Project) -> None:
    edit(project, NOTE)
    edit(project, Undo())
    begun = read_journal_end(project)
    assert not record_creation(project, ALIGN, {"mining": 1}, begun)
    assert read_undo_state(project.store).can_redo


def test_an_equal_id_of_another_change_is_no_equal_end(project: Project) -> None:
    edit(project, NOTE)
    begun = read_journal_end(project)
    edit(project, Undo())
    edit(project, SetNote(sentence=NOTE.sentence, text="Another."))
    assert read_journal_end(project).id == begun.id
    assert not record_creation(project, ALIGN, {"mining": 1}, begun)
