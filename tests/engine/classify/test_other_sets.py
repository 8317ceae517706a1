"""Development and test sets are checked for validity and leakage before any work."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert

from app.engine.classify import transfer as module
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks import train_classifier as training_module
from app.engine.tasks.evaluate_transfer import evaluate_transfer
from app.engine.tasks.train_classifier import train_classifier
from app.errors import UserError
from app.params import build_params
from app.params.classify import EvaluateTransfer, TrainClassifier
from tests.engine.classify.barn import add_labelled, make_barn
from tests.engine.classify.word_encoder import WordEncoder, as_lines, make_rows

TRAIN = as_lines(make_rows(60))
TEST = as_lines(make_rows(30, prefix="x", seed=2))
PAIRS = "sport\tball\tgoal\nweather\train\tsnow\n"
OTHERS = "cooking\trice\ncooking\tbread\n"
SCORES = "1\tball\tgoal\n4\train\tsnow\n" * 4


def evaluate(folder: Path, **sets: Any) -> Any:
    """Write the sets and evaluate; one that is no text is a setting."""
    values: dict[str, Any] = {"tests": []}
    for name, value in ({"train": TRAIN, "de": TEST} | sets).items():
        file = folder / f"{name}.tsv"
        if not isinstance(value, str) or "\t" not in value:
            values[name] = value
            continue
        file.write_text(value, encoding="utf-8")
        if name in ("train", "development"):
            values[name] = str(file)
        else:
            values["tests"].append(f"{name}={file}")
    return evaluate_transfer(None, build_params(EvaluateTransfer, values), Report())


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ({"development": PAIRS}, "development.tsv has pairs of texts, but the"),
        ({"development": OTHERS}, "development.tsv: none of its labels occurs"),
        ({"development": "Sport\tball\nsport\tgoal\n"}, "'sport' and 'Sport' differ"),
        ({"de": PAIRS}, "de.tsv has pairs of texts, but the classifier"),
        ({"de": "Sport\tball\nsport\tgoal\n"}, "'sport' and 'Sport' differ only"),
        ({"fr": TEST, "matrix": True}, "is for classes of pairs"),
        (
            {"train": PAIRS * 4, "de": PAIRS, "fr": PAIRS * 2, "matrix": True},
            "fr.tsv is not aligned with .*de.tsv",
        ),
        (
            {"train": SCORES, "de": "7\ta\tb\n", "head": "relatedness"},
            "de.tsv, line 1: '7' is not a score between 0 and 5",
        ),
        (
            {"train": SCORES, "de": SCORES, "head": "relatedness", "development": TEST},
            "development.tsv has single texts, but the classifier",
        ),
        ({"out": "/no/such/folder/a.json"}, "folder .*such.folder does not exist"),
        ({"out": "/"}, "is a folder. Name a file in it"),
    ],
)
def test_sets_that_do_not_do_are_refused_before_an_encoder_is_loaded(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    sets: dict[str, Any],
    message: str,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it was loaded")

    monkeypatch.setattr(module, "load_encoder", refuse)
    with pytest.raises(UserError, match=message):
        evaluate(tmp_path, **sets)


def test_a_development_set_of_other_labels_trains_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_module, "load_encoder", lambda *_, **__: WordEncoder())
    file = tmp_path / "dev.tsv"
    file.write_text(OTHERS, encoding="utf-8")
    values = {"name": "a", "train": ["topics"], "development": str(file)}
    with make_barn(tmp_path) as project:
        params = build_params(TrainClassifier, values)
        with pytest.raises(UserError, match="none of its labels occurs"):
            train_classifier(project, params, Report())
        assert not (project.folder / "classifiers").exists()


def test_development_rows_of_other_sets_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: WordEncoder())
    one, others = "weather\tstorm\n", "sport\ta new ball\nweather\train, snow!\n"
    development = one + others + "politics\ttax the law\n"
    sets = {"train": TRAIN + one, "de": TEST + others, "head": "centroid"}
    notes = " ".join(evaluate(tmp_path, development=development, **sets).notes)
    assert "1 of 4 rows of the development set are also in the training set" in notes
    assert "2 of 4 rows of the development set are also in the test de" in notes


def test_development_rows_of_labels_never_seen_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: WordEncoder())
    monkeypatch.setattr(training_module, "load_encoder", lambda *_, **__: WordEncoder())
    rows = OTHERS + "politics\ttax the law\n"
    notes = " ".join(evaluate(tmp_path, development=rows, head="centroid").notes)
    assert "2 of 3 rows of the development set are excluded" in notes
    assert "no training row has the label 'cooking'" in notes
    place = str(tmp_path / "development.tsv")
    values = {"name": "a", "train": ["topics"], "development": place}
    with make_barn(tmp_path) as project:
        params = build_params(TrainClassifier, values)
        result = train_classifier(project, params, Report())
    assert result.n_development == 1
    assert (
        "development: training has no row of 'cooking', the label of 2 of 3 rows; "
        "they are excluded."
    ) in result.data.warnings


def test_pairs_of_corpora_that_are_not_known_to_be_pairs_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_module, "load_encoder", lambda *_, **__: WordEncoder())
    values = {"name": "a", "train": ["topics+again"], "head": "centroid"}
    with make_barn(tmp_path) as project:
        other = add_labelled(project, "again", "de", make_rows(60, prefix="x", seed=4))
        params = build_params(TrainClassifier, values)
        warnings = train_classifier(project, params, Report()).data.warnings
        assert any("equal numbers are used as pairs" in one for one in warnings)
        links = [
            {
                "source_id": first_sentence_id(1) + i,
                "target_id": first_sentence_id(other) + i,
            }
            for i in range(60)
        ]
        with project.store.begin() as connection:
            rows = [{**one, "kind": "imported"} for one in links]
            connection.execute(insert(schema.link), rows)
        params = build_params(TrainClassifier, {**values, "name": "b"})
        warnings = train_classifier(project, params, Report()).data.warnings
    assert not any("assumed" in one for one in warnings)


def test_a_linked_translation_in_the_training_set_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: WordEncoder())
    with make_barn(tmp_path) as project:
        other = add_labelled(project, "de", "de", make_rows(6, prefix="x", seed=4))
        link = {
            "source_id": first_sentence_id(1) + 5,
            "target_id": first_sentence_id(other) + 1,
        }
        values = {"train": "topics", "tests": ["de=de"], "head": "centroid"}
        params = build_params(EvaluateTransfer, values)
        assert not any(
            "translation" in note
            for note in evaluate_transfer(project, params, Report()).notes
        )
        with project.store.begin() as connection:
            row = {**link, "kind": "imported"}
            connection.execute(insert(schema.link).values(**row))
        notes = evaluate_transfer(project, params, Report()).notes
    assert any("1 of 6 rows looks like a translation" in note for note in notes)
