"""Corpora classified in shards: what is said, what a kill cannot undo."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine.edits.journal import apply_edit
from app.engine.project.project import Project, open_project
from app.engine.project.runs import queue_run
from app.engine.runtime.report import Report, SilentSink
from app.engine.store.classifiers import (
    Predictions,
    find_edited,
    list_predictions,
    map_predictions,
    prediction_files,
    read_predictions,
)
from app.engine.store.corpora import first_sentence_id, list_corpora
from app.engine.store.sentences import read_texts
from app.engine.tasks import classify as module
from app.engine.tasks.classify import ClassifyResult, classify
from app.engine.tasks.train_classifier import train_classifier
from app.errors import Cancelled, UserError
from app.params import build_params
from app.params.classify import Classify, TrainClassifier
from app.protocol.edits.corpora import EditSentence
from app.protocol.edits.general import DropRun, Redo, Undo
from tests.engine.classify.barn import make_barn, use_words
from tests.engine.classify.word_encoder import make_rows
from tests.engine.review.made import edit
from tests.engine.search.made import add_corpus


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    use_words(monkeypatch)
    for name in ("FIRST_SHARD", "MIN_SHARD", "MAX_SHARD"):
        monkeypatch.setattr(module, name, 8)
    monkeypatch.setattr(Report, "INTERVAL_S", 0)  # else a step may go unseen
    with make_barn(tmp_path) as project:
        values = {"name": "topics", "train": ["topics"]}
        params = build_params(TrainClassifier, values)
        train_classifier(project, params, Report())
        yield project


PARAMS = {"classifier": "topics", "corpora": ["Neues"]}


def run(project: Project, report: Report | None = None, **fields: Any) -> Any:
    params = build_params(Classify, {**PARAMS, **fields})
    return classify(project, params, report or Report())


def said(project: Project) -> Predictions:
    (row,) = list_predictions(project.store)
    return map_predictions(project.folder, row)


def test_sentences_of_another_language_get_their_class(project: Project) -> None:
    result = run(project)
    assert isinstance(result, ClassifyResult)
    (corpus,) = result.corpora
    wanted = [topic for topic, _ in make_rows(40, prefix="x", seed=3)]
    names = ("politics", "sport", "weather")
    got = said(project)
    right = [names[index] for index in got.classes[:40]]
    assert np.mean([one == two for one, two in zip(right, wanted, strict=True)]) > 0.85
    assert got.classes[40] == -1
    assert got.probabilities[40] == 0
    assert got.probabilities[:40].min() > 1 / 3
    ids = [first_sentence_id(2) + 40, first_sentence_id(2) + 3, first_sentence_id(1)]
    page = read_predictions(project.folder, list_predictions(project.store), ids)
    assert page[ids[0]] == (-1, 0)
    assert page[ids[1]] == (got.classes[3], got.probabilities[3])
    assert ids[2] not in page
    assert sum(corpus.classes.values()) == 40
    assert (corpus.n_without_vector, corpus.sentences) == (1, 41)


def test_a_corpus_that_is_named_twice_is_counted_once(project: Project) -> None:
    result = run(project, corpora=["Neues", "Neues", "2"])
    assert (result.sentences, len(result.corpora), result.notes) == (41, 1, ())


def test_what_was_done_is_not_done_again(project: Project) -> None:
    run(project)
    before = said(project)
    again = run(project).corpora[0]
    assert again.was_done
    assert np.array_equal(said(project).classes, before.classes)


def test_an_edited_sentence_is_classified_by_its_new_text(project: Project) -> None:
    run(project)
    (corpus,) = [row for row in list_corpora(project.store) if row.name == "Neues"]
    first = first_sentence_id(corpus.id)
    before = said(project).classes.tolist()
    other = next(index for index, one in enumerate(before) if one != before[0])
    (text,) = read_texts(project.store, corpus.id, other, other + 1)
    edit(project, EditSentence(sentence=first, text=text))
    assert list(
        find_edited(project.store, list_predictions(project.store)).values()
    ) == [[first]]
    again = run(project).corpora[0]
    assert not again.was_done
    assert said(project).classes.tolist() == [before[other], *before[1:]]
    assert find_edited(project.store, list_predictions(project.store)) == {}


def test_an_undone_edit_is_a_change_since_the_predictions(project: Project) -> None:
    (corpus,) = [row for row in list_corpora(project.store) if row.name == "Neues"]
    first = first_sentence_id(corpus.id)
    run(project)
    before = said(project)
    edit(project, EditSentence(sentence=first, text="an other text"))
    edit(project, Undo())
    assert edited(project) == []  # the text is the one that was classified
    edit(project, Redo())
    assert edited(project) == [first]
    run(project)
    assert edited(project) == []
    edit(project, Undo())
    assert edited(project) == [first]
    assert not run(project).corpora[0].was_done
    assert edited(project) == []
    np.testing.assert_array_equal(said(project).classes, before.classes)
    np.testing.assert_allclose(said(project).probabilities, before.probabilities)


def edited(project: Project) -> list[int]:
    found = find_edited(project.store, list_predictions(project.store))
    return [id_ for ids in found.values() for id_ in ids]


class CancellingSink(SilentSink):
    report: Report

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        if done == 16:
            self.report.cancel()


def test_a_cancelled_run_goes_on_where_it_was(project: Project) -> None:
    sink = CancellingSink()
    sink.report = Report(sink)
    with pytest.raises(Cancelled):
        run(project, sink.report)
    (row,) = list_predictions(project.store)
    assert row.n_done == 24  # the shard that was being done was finished
    result = run(project).corpora[0]
    assert (result.resumed_at, result.was_done) == (24, False)
    resumed = said(project)
    (row,) = list_predictions(project.store)
    for file in prediction_files(project.folder, row.array):
        file.unlink()
    run(project)
    assert np.array_equal(said(project).classes, resumed.classes)
    assert np.array_equal(said(project).probabilities, resumed.probabilities)


def test_predictions_live_on_when_the_project_is_opened_again(
    project: Project, tmp_path: Path
) -> None:
    run(project)
    project.close()
    with open_project(project.folder) as again:
        assert len(said(again).classes) == 41


def test_a_run_that_is_given_up_leaves_nothing(project: Project) -> None:
    sink = CancellingSink()
    params = build_params(Classify, PARAMS)
    number = queue_run(project, params)
    sink.report = Report(sink, run=number)
    with pytest.raises(Cancelled):
        classify(project, params, sink.report)
    with project.store.begin() as connection:
        connection.exec_driver_sql("UPDATE run SET state = 'interrupted'")
    apply_edit(project, DropRun(number), lambda *_: None)
    assert list_predictions(project.store) == []
    assert not list((project.folder / "arrays").glob("prediction-*"))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"classifier": "moods"}, r"no classifier 'moods'; the project has topics"),
        ({"corpora": ["Altes"]}, r"There is no corpus 'Altes'"),
        ({"corpora": ["Neues+topics"]}, r"There is no corpus 'Neues\+topics'"),
    ],
)
def test_what_is_not_there_is_told(
    project: Project, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        run(project, **fields)


def test_pairs_need_two_corpora_of_one_length(project: Project) -> None:
    from tests.engine.classify.barn import add_labelled

    rows = [("same" if i % 2 else "other", f"ball team {i}") for i in range(20)]
    add_labelled(project, "one", "en", rows)
    add_corpus(project, "two", "en", ["ball" if i % 2 else "law" for i in range(20)])
    values = {"name": "pairs", "train": ["one+two"], "head": "nli", "hidden": [4]}
    params = build_params(TrainClassifier, {**values, "lr": 0.05})
    train_classifier(project, params, Report())
    result = run(project, classifier="pairs", corpora=["one+two"])
    assert result.corpora[0].classes == {"other": 10, "same": 10}
    (note,) = result.notes
    assert note.startswith("one and two were not imported together, and no links join")
    assert note in result.message
    number = queue_run(project, build_params(Classify, PARAMS))  # stands for an import
    with project.store.begin() as connection:
        sql = f"UPDATE corpus SET run_id = {number} WHERE id > 2"
        connection.exec_driver_sql(sql)
    assert run(project, classifier="pairs", corpora=["one+two"]).notes == ()
    with pytest.raises(UserError, match="Choose two corpora"):
        run(project, classifier="pairs", corpora=["one"])
    with pytest.raises(UserError, match="have 20 and 41 sentences, but pairs are"):
        run(project, classifier="pairs", corpora=["one+Neues"])
