"""Queries about classifiers: ordered predictions, changes, labelling suggestions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine.classify.active_learning import choose_diverse
from app.engine.classify.queries import compare_transfers
from app.engine.classify.repository import load_project_classifier
from app.engine.process.queries import answer_query
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store.classifiers import TransferRow
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks.classify import classify
from app.engine.tasks.train_classifier import train_classifier
from app.errors import UserError
from app.params import build_params
from app.params.classify import Classify, TrainClassifier
from app.protocol.base import A, BaseQuery
from app.protocol.queries.classify import (
    ClassifyTextQuery,
    CompareTransfersQuery,
    PredictionChangesQuery,
    PredictionsQuery,
    SuggestQuery,
)
from app.results.transfer import LanguageDetails, LanguageScore
from tests.engine.classify.barn import label, make_barn, use_words
from tests.engine.classify.word_encoder import WordEncoder

FIRST = first_sentence_id(2)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    use_words(monkeypatch)
    with make_barn(tmp_path) as project:
        for name, head in (("lines", "logistic"), ("votes", "knn")):
            values = {"name": name, "train": ["topics"], "head": head}
            train_classifier(project, build_params(TrainClassifier, values), Report())
            asked = {"classifier": name, "corpora": ["Neues"]}
            classify(project, build_params(Classify, asked), Report())
        yield project


def ask(project: Project, query: BaseQuery[A]) -> A:
    return answer_query(SearchSession(project), query)


def order(project: Project, query: PredictionsQuery) -> list[int]:
    """Return the ids that the answer names."""
    return read_ids(project, ask(project, query).file)


def read_ids(project: Project, file: str) -> list[int]:
    return [int(id_) for id_ in np.load(project.folder / file)]


def test_sentences_come_in_the_order_of_probability(project: Project) -> None:
    answer = ask(project, PredictionsQuery(classifier=1))
    sure = read_ids(project, answer.file)
    assert answer.n == len(sure) == 40  # and not the one without a vector
    assert sum(answer.n_by_class.values()) == 40
    assert answer.without == ("topics",)
    unsure = order(project, PredictionsQuery(classifier=1, order="unsure"))
    assert set(unsure) == set(sure)
    assert unsure[0] != sure[0]
    places = order(project, PredictionsQuery(classifier=1, order="position"))
    assert places == sorted(sure) == list(range(FIRST, FIRST + 40))


def test_sentences_are_chosen_by_class_probability_and_language(
    project: Project,
) -> None:
    answer = ask(project, PredictionsQuery(classifier=1, classes=("sport",)))
    ids = read_ids(project, answer.file)
    assert len(ids) == answer.n_by_class["sport"] < 40
    none = order(project, PredictionsQuery(classifier=1, languages=("fr",)))
    assert none == []
    all_ = order(project, PredictionsQuery(classifier=1, languages=("de",)))
    assert len(all_) == 40
    high = order(project, PredictionsQuery(classifier=1, lowest=0.9))
    low = order(project, PredictionsQuery(classifier=1, highest=0.9))
    assert len(high) + len(low) == 40


def test_labels_tell_what_was_said_wrongly(project: Project) -> None:
    ids = order(project, PredictionsQuery(classifier=1, classes=("sport",)))
    other = [""] * 40
    other[ids[0] - FIRST], other[ids[1] - FIRST] = "sport", "weather"
    label(project, 2, other)
    wanted: dict[Any, int] = {"labelled": 2, "unlabelled": 38, "contradicted": 1}
    for which, n in wanted.items():
        query = PredictionsQuery(classifier=1, which=which)
        assert len(order(project, query)) == n


def test_a_typed_text_has_the_class_of_its_words(project: Project) -> None:
    text = "xball xgoal xteam"
    answer = ask(project, ClassifyTextQuery(classifier=1, texts=(text,)))
    names, shares = zip(*answer.classes, strict=True)
    assert (names[0], set(names)) == ("sport", {"sport", "politics", "weather"})
    assert list(shares) == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1, abs=1e-6)
    stored = load_project_classifier(project, "lines")
    (vector,) = WordEncoder().encode([text])
    wanted = stored.probabilities((vector[None] / np.sqrt(3),)).max()
    assert shares[0] == pytest.approx(wanted, abs=1e-6)


def test_a_text_without_known_words_has_no_class(project: Project) -> None:
    assert ask(project, ClassifyTextQuery(classifier=1, texts=("?",))).classes == ()


def test_a_pair_is_refused_by_a_classifier_of_sentences(project: Project) -> None:
    with pytest.raises(UserError, match="lines needs 1 text, not 2"):
        ask(project, ClassifyTextQuery(classifier=1, texts=("ball", "goal")))


def test_what_another_classifier_says_otherwise_is_found(project: Project) -> None:
    answer = ask(project, PredictionChangesQuery(before=1, after=2))
    ids = read_ids(project, answer.file)
    assert answer.n_compared == 40
    assert sum(move.n for move in answer.moves) == len(ids) == answer.n
    same = ask(project, PredictionChangesQuery(before=1, after=1))
    none = read_ids(project, same.file)
    assert (same.moves, none) == ((), [])


def test_what_is_suggested_has_no_label_and_is_unsure(project: Project) -> None:
    unsure = order(project, PredictionsQuery(classifier=1, order="unsure"))
    answer = ask(project, SuggestQuery(classifier=1, n=5, diversity=0))
    assert [one.sentence for one in answer.sentences] == unsure[:5]
    label(project, 2, ["sport" if FIRST + i == unsure[0] else "" for i in range(40)])
    again = ask(project, SuggestQuery(classifier=1, n=5))
    assert unsure[0] not in [one.sentence for one in again.sentences]


def test_unlike_rows_are_chosen_before_alike_ones() -> None:
    unsure = np.array([0.6, 0.59, 0.3], np.float32)
    vectors = np.array([[1, 0], [1, 0], [0, 1]], np.float32)
    assert choose_diverse(unsure, vectors, 3, 0.0) == [0, 1, 2]
    assert choose_diverse(unsure, vectors, 3, 0.6) == [0, 2, 1]
    assert choose_diverse(unsure, None, 2, 0.6) == [0, 1]


def made_row(right: list[int], rows: list[int]) -> TransferRow:
    score = LanguageScore(len(right), 0.5, (0.4, 0.6), 0.5, 0.5)
    details = LanguageDetails("de", score, (0, 1), ("a", "b"), (), (), 0.0, ())
    gold = np.zeros(len(right), np.int64)
    return TransferRow(details, 1 - np.array(right), gold, np.array(rows))


def test_two_tests_of_the_same_rows_are_compared() -> None:
    rows = list(range(12))
    one = made_row([1] * 9 + [0] * 3, rows)
    other = made_row([1] * 3 + [0] * 6 + [1] * 2 + [0], rows)
    found = compare_transfers({"de": one, "fr": one}, {"de": other})
    (de,) = found.languages
    assert (de.only_one, de.only_other) == (6, 2)
    assert de.p == pytest.approx(74 / 256)
    assert de.difference == pytest.approx(4 / 12)
    assert de.low < de.difference < de.high
    assert found.skipped == ("French is in only one of the two tests.",)


def test_tests_of_other_rows_are_not_compared() -> None:
    one, other = made_row([1, 0], [1, 2]), made_row([1, 0], [1, 3])
    with pytest.raises(UserError, match="no language in common"):
        compare_transfers({"de": one}, {"de": other})


@pytest.mark.parametrize(
    "query",
    [
        PredictionsQuery(classifier=9),
        PredictionsQuery(classifier=1, corpora=(1,)),
        PredictionChangesQuery(before=1, after=2, corpora=(1,)),
        SuggestQuery(classifier=1, corpora=(1,)),
        CompareTransfersQuery(one=1, other=2),
    ],
)
def test_what_is_not_there_is_told(
    project: Project, query: BaseQuery[dict[str, Any]]
) -> None:
    with pytest.raises(UserError):
        ask(project, query)
