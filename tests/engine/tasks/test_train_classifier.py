"""A classifier trained on a corpus: kept, found again, refused where it does not do."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from app.engine.classify import repository
from app.engine.classify.classifier import (
    CONFIG_FILE,
    FOLDER,
    WEIGHTS_FILE,
    load_classifier,
)
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.classifiers import find_classifier, list_classifiers
from app.engine.tasks.train_classifier import TrainClassifierResult, train_classifier
from app.errors import UserError
from app.params import build_params
from app.params.classify import TrainClassifier
from tests.engine.classify.barn import add_labelled, make_barn, use_words
from tests.engine.classify.word_encoder import WordEncoder, as_lines, make_rows


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    use_words(monkeypatch)
    with make_barn(tmp_path) as project:
        yield project


def train(project: Project, **fields: Any) -> TrainClassifierResult:
    values = {"name": "topics", "train": ["topics"], **fields}
    return train_classifier(project, build_params(TrainClassifier, values), Report())


@pytest.mark.parametrize("head", ["logistic", "mlp", "centroid", "knn"])
def test_a_classifier_is_kept_as_it_was_trained(project: Project, head: str) -> None:
    result = train(project, head=head, lr=0.05, hidden=[6])
    assert (result.classes, result.language) == (("politics", "sport", "weather"), "en")
    assert (result.n_train, result.n_development) == (55, 5)  # equal ones together
    assert result.data.sets[0].n == 60
    row = find_classifier(project.store, "topics")
    again = load_classifier(project.folder / FOLDER / row.folder)
    assert again.config.settings["head"] == head
    vectors = WordEncoder().encode(["xball xteam", "law tax"])
    said = again.probabilities((vectors,)).argmax(axis=1)
    assert [again.config.classes[index] for index in said] == ["sport", "politics"]
    assert np.allclose(again.probabilities((vectors,)).sum(axis=1), 1)


def test_its_training_rows_are_found_again(project: Project) -> None:
    train(project)
    classifier = repository.load_project_classifier(project, "topics")
    (rows,) = repository.training_rows(project, classifier)
    assert (rows.source, len(rows.labels)) == ("topics", 60)


def test_several_corpora_and_files_are_one_training_set(
    project: Project, tmp_path: Path
) -> None:
    file = tmp_path / "more.tsv"
    file.write_text(as_lines(make_rows(30, seed=9)), encoding="utf-8")
    add_labelled(project, "more", "en", make_rows(20, seed=8))
    result = train(project, train=["topics", "more", str(file)])
    assert result.n_train + result.n_development == 110
    train(project, name="both", train=["topics", "more"])
    classifier = repository.load_project_classifier(project, "both")
    parts = repository.training_rows(project, classifier)
    assert [len(part.labels) for part in parts] == [60, 20]


def test_a_development_set_is_not_trained_on(project: Project) -> None:
    add_labelled(project, "dev", "en", make_rows(20, seed=8))
    result = train(project, development="dev")
    assert (result.n_train, result.n_development) == (60, 20)
    assert result.data.sets[1].name == "development"
    assert any("also in the training set" in text for text in result.data.warnings)


def test_a_name_is_given_once(project: Project) -> None:
    train(project)
    with pytest.raises(UserError, match="classifier named 'topics' already exists"):
        train(project)
    assert len(list_classifiers(project.store)) == 1


def test_a_label_that_was_taken_away_is_none(project: Project) -> None:
    from app.engine.edits.journal import apply_edit
    from app.protocol.edits.labels import LabelSentences

    change = LabelSentences(sentences=(2**32, 2**32 + 1), class_name="")
    apply_edit(project, change, lambda *_: None)
    assert train(project).data.sets[0].n == 58
    assert train(project, name="b").data.sets[0].n_unlabelled == 2


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"train": ["Neues"]}, r"No active sentence of Neues has a label"),
        ({"train": ["nothing"]}, r"There is no corpus 'nothing'"),
        ({"train": ["one"]}, r"one has only the class 'sport'"),
        ({"train": ["forms"]}, r"'sport' and 'Sport' differ only by case or spaces"),
        ({"head": "relatedness"}, r"topics has one text per row, but the head related"),
        ({"train": ["topics+Neues"]}, r"they have 60 and 41 sentences, but pairs are"),
        ({"name": " "}, r"The classifier needs a name"),
    ],
)
def test_what_does_not_do_is_refused(
    project: Project, fields: dict[str, Any], message: str
) -> None:
    add_labelled(project, "one", "en", [("sport", "ball"), ("sport", "goal")])
    forms = [("sport", "ball"), ("sport", "team"), ("Sport", "goal"), ("law", "tax")]
    add_labelled(project, "forms", "en", [*forms, ("law", "vote")])
    with pytest.raises(UserError, match=message):
        train(project, **fields)
    assert not (project.folder / FOLDER).exists()


def test_a_classifier_of_pairs_is_trained_on_two_corpora(project: Project) -> None:
    firsts = [("same" if i % 2 else "other", f"ball team {i}") for i in range(40)]
    seconds = [("", "ball team" if i % 2 else "law tax") for i in range(40)]
    add_labelled(project, "one", "en", firsts)
    add_labelled(project, "two", "en", [("x", text) for _, text in seconds])
    result = train(project, train=["one+two"], head="nli", hidden=[8], lr=0.02)
    assert result.development == 1
    classifier = repository.load_project_classifier(project, "topics")
    assert classifier.config.features == "pair"
    (rows,) = repository.training_rows(project, classifier)
    assert [len(texts) for texts in rows.texts] == [40, 40]


def test_another_encoder_is_refused_with_both_names(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(project)
    classifier = repository.load_project_classifier(project, "topics")

    class Other(WordEncoder):
        name, fingerprint = "others", "1" * 64

    class Wide(Other):
        dim = 999

    monkeypatch.setattr(repository, "load_encoder", lambda *_, **__: Other())
    with pytest.raises(UserError, match=r"by words, not by others. Select words"):
        repository.load_classifier_encoder(project, classifier, "others")
    monkeypatch.setattr(repository, "load_encoder", lambda *_, **__: Wide())
    with pytest.raises(
        UserError, match=r"10 dimensions by words, but .* others have 9"
    ):
        repository.load_classifier_encoder(project, classifier, "others")


def test_an_encoder_that_is_gone_is_told(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(project)
    classifier = repository.load_project_classifier(project, "topics")
    monkeypatch.undo()
    with pytest.raises(UserError, match="The encoder words is missing"):
        repository.load_classifier_encoder(project, classifier)


def test_a_damaged_classifier_is_told(project: Project) -> None:
    train(project)
    folder = project.folder / FOLDER / find_classifier(project.store, "topics").folder
    (folder / WEIGHTS_FILE).write_bytes(b"no weights")
    with pytest.raises(UserError, match=r"missing or damaged. Train the classifier"):
        repository.load_project_classifier(project, "topics")
    (folder / CONFIG_FILE).write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match="is damaged"):
        repository.load_project_classifier(project, "topics")


def test_a_given_penalty_is_fitted_to_all_rows(project: Project) -> None:
    result = train(project, inverse_l2=4.0, balanced=False)
    assert (result.n_train, result.n_development) == (60, 5)
    classifier = repository.load_project_classifier(project, "topics")
    (rows,) = repository.training_rows(project, classifier)
    vectors = WordEncoder().encode(rows.texts[0])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    peer = LogisticRegression(C=4.0, tol=1e-8, max_iter=1_000).fit(vectors, rows.labels)
    shares = softmax(classifier.head.logits(vectors), axis=1)
    assert np.allclose(shares, peer.predict_proba(vectors), atol=1e-3)
