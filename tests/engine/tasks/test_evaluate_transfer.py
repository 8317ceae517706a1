"""A classifier trained on one language and tested on others, with known vectors."""

import json
import lzma
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from app.engine.classify import transfer as module
from app.engine.project.runs import queue_run
from app.engine.runtime.report import Report, SilentSink
from app.engine.store.classifiers import (
    list_classifiers,
    read_transfer,
    read_transfer_predictions,
)
from app.engine.tasks.evaluate_transfer import evaluate_transfer
from app.engine.tasks.train_classifier import train_classifier
from app.errors import Cancelled, UserError
from app.number_format import format_percent
from app.params import build_params
from app.params.classify import EvaluateTransfer, TrainClassifier
from app.results.transfer import EvaluateTransferResult, LanguageScore, PairScore, Score
from tests.engine.classify.barn import add_labelled, make_barn, use_words
from tests.engine.classify.word_encoder import TOPICS, WordEncoder, as_lines, make_rows


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: WordEncoder())


def score_of(got: EvaluateTransferResult[Score], language: str) -> LanguageScore:
    score = got.languages[language]
    assert isinstance(score, LanguageScore)
    return score


def evaluate(folder: Path, train: str, *tests: str, **fields: Any) -> Any:
    """Write and evaluate; a test is LANG=rows."""
    (folder / "train.tsv").write_text(train, encoding="utf-8")
    named = []
    for test in tests:
        language, _, text = test.partition("=")
        file = folder / f"{language}.tsv.xz"
        file.write_bytes(lzma.compress(text.encode()))
        named.append(f"{language}={file}")
    values = {"train": str(folder / "train.tsv"), "tests": named, **fields}
    return evaluate_transfer(None, build_params(EvaluateTransfer, values), Report())


TRAIN = as_lines(make_rows(60))
TEST = "en=" + as_lines(make_rows(30, seed=2))
OTHER = "de=" + as_lines(make_rows(30, prefix="x", seed=3))


@pytest.mark.parametrize("head", ["logistic", "mlp", "centroid", "knn"])
def test_what_one_language_teaches_holds_for_another(tmp_path: Path, head: str) -> None:
    got = evaluate(tmp_path, TRAIN, TEST, OTHER, head=head, lr=0.05, n_epochs=30)
    assert isinstance(got, EvaluateTransferResult)
    for score in got.languages.values():
        assert isinstance(score, LanguageScore)
        low, high = score.accuracy_interval
        assert score.n == 30
        assert score.majority == pytest.approx(1 / 3)
        assert score.accuracy > 0.8
        assert low <= score.accuracy <= high
    en, de = (score_of(got, language) for language in ("en", "de"))
    wanted = en.accuracy - de.accuracy
    assert got.mean_gap == pytest.approx(wanted)
    name = {"logistic": "logistic regression", "mlp": "MLP"}.get(head, "")
    assert f"({name}" in got.message
    assert got.message.endswith(
        f"): English {format_percent(en.accuracy, 1)}, German "
        f"{format_percent(de.accuracy, 1)}."
    )


def test_languages_that_the_encoder_was_not_trained_on_are_named(
    tmp_path: Path,
) -> None:
    tests = (TEST, OTHER, "yua=" + as_lines(make_rows(30, prefix="x", seed=4)))
    got = evaluate(tmp_path, TRAIN, *tests, encoder="isogloss-3")
    warning = "words was not trained on Yucateco, which can lower the scores."
    assert warning in got.notes
    got = evaluate(tmp_path, TRAIN, TEST, OTHER, encoder="isogloss-3")
    assert not any("was not trained on" in note for note in got.notes)


def test_the_json_has_the_keys_that_were_promised(tmp_path: Path) -> None:
    plain = msgspec.to_builtins(evaluate(tmp_path, TRAIN, TEST, OTHER))
    assert {"languages", "mean_gap"} <= plain.keys()
    assert set(plain["languages"]) == {"en", "de"}
    assert set(plain["languages"]["de"]) == {
        *("n", "accuracy", "accuracy_interval", "macro_f1", "majority")
    }


def test_the_gap_is_from_the_training_language_to_the_mean_of_the_others(
    tmp_path: Path,
) -> None:
    wrong = [("weather", text) for _, text in make_rows(30, prefix="x", seed=3)]
    got = evaluate(tmp_path, TRAIN, TEST, OTHER, "fr=" + as_lines(wrong))
    scores = {name: one.accuracy for name, one in got.languages.items()}
    assert got.mean_gap == pytest.approx(
        scores["en"] - (scores["de"] + scores["fr"]) / 2
    )
    assert got.others_mean == pytest.approx((scores["de"] + scores["fr"]) / 2)
    mean = f"mean of 2 other languages {format_percent(got.others_mean, 1)}."
    assert got.message.endswith(mean)
    for value, (low, high) in (
        (got.mean_gap, got.mean_gap_interval),
        (got.others_mean, got.others_mean_interval),
    ):
        assert low < value < high < 1
    home = evaluate(tmp_path, TRAIN, "de=" + OTHER[3:], "fr=" + as_lines(wrong))
    assert any("No test is in the training language" in note for note in home.notes)
    assert home.mean_gap == pytest.approx(home.training.development - home.others_mean)
    assert home.mean_gap_interval[0] < home.mean_gap < home.mean_gap_interval[1]
    second = evaluate(tmp_path, TRAIN, TEST.replace("en=", "en-x-2="), OTHER)
    assert second.mean_gap == pytest.approx(
        second.languages["en-x-2"].accuracy - second.others_mean
    )
    assert second.others_mean == second.languages["de"].accuracy
    assert not any("No test is in" in note for note in second.notes)
    alone = evaluate(tmp_path, TRAIN, TEST)
    assert (alone.mean_gap, alone.others_mean, alone.mean_gap_interval) == (None,) * 3


def test_the_details_tell_the_errors_and_what_they_are_near(tmp_path: Path) -> None:
    rows = [("sport", "xrain xsnow"), ("weather", "xrain xsnow"), ("sport", "xball")]
    file = tmp_path / "details.json"
    evaluate(tmp_path, TRAIN, "de=" + as_lines(rows), out=str(file))
    (details,) = json.loads(file.read_text(encoding="utf-8"))
    assert details["classes"] == ["politics", "sport", "weather"]
    assert details["confusion"] == [[0, 0, 0], [0, 1, 1], [0, 0, 1]]
    (error,) = details["errors"]
    assert (error["texts"], error["place"]) == (["xrain xsnow"], 1)
    assert (error["label"], error["predicted"]) == ("sport", "weather")
    assert [near["label"] for near in error["nearest"]] == ["weather"] * 3
    assert error["nearest"][0]["cosine"] >= error["nearest"][2]["cosine"]


def pair_rows(n: int, prefix: str = "", seed: int = 1) -> str:
    """Pairs of one topic or of two: same or other."""
    generator = np.random.default_rng(seed)
    rows = []
    for index in range(n):
        one, two = generator.choice(list(TOPICS), 2, replace=False)
        first = TOPICS[one][generator.integers(3)]
        second = first if index % 2 else TOPICS[two][generator.integers(3)]
        label = "same" if index % 2 else "other"
        rows.append((label, f"{prefix}{first}", f"{prefix}{second} {index}"))
    return as_lines(rows)


def test_pairs_are_tested_in_every_two_languages(tmp_path: Path) -> None:
    tests = (f"en={pair_rows(20)}", f"de={pair_rows(20, 'x')}")
    settings = {"lr": 0.02, "hidden": [16], "matrix": True}
    got = evaluate(tmp_path, pair_rows(80), *tests, head="nli", **settings)
    assert got.training.features == "pair"
    assert got.matrix.keys() == got.matrix["en"].keys() == {"en", "de"}
    assert got.matrix["en"]["en"] == got.languages["en"].accuracy > 0.8
    assert got.matrix["de"]["en"] == got.matrix["en"]["en"]  # the vectors are the same


def test_scores_of_pairs_are_told(tmp_path: Path) -> None:
    rows = [
        (label.replace("same", "5").replace("other", "0"), *texts)
        for label, *texts in (row.split("\t") for row in pair_rows(80).splitlines())
    ]
    train, test = as_lines(rows[:60]), as_lines(rows[60:])
    got = evaluate(tmp_path, train, "de=" + test, head="relatedness", lr=0.05)
    score = got.languages["de"]
    assert isinstance(score, PairScore)
    assert score.n == 20
    assert score.pearson > 0.8
    assert got.others_mean == pytest.approx(score.pearson)
    assert got.mean_gap == pytest.approx(got.training.development - score.pearson)


def test_what_training_gives_away_is_told(tmp_path: Path) -> None:
    rows = [("sport", "ball  ball goal team!"), *make_rows(30, seed=5)]
    train = TRAIN + "sport\tBall ball, goal team\n"
    got = evaluate(tmp_path, train, "en=" + as_lines(rows))
    assert any(
        "1 of 31 rows are also in the training set" in note for note in got.notes
    ) or (any("rows are also in the training set" in note for note in got.notes))


def test_leakage_is_noted_before_everything_else(tmp_path: Path) -> None:
    leaked = as_lines([("sport", "ball  ball goal team!"), *make_rows(30, seed=5)])
    train = TRAIN + "sport\tBall ball, goal team\n"
    got = evaluate(tmp_path, train, "de=cooking\train\n" + leaked, "en=" + leaked)
    leaks = ["are also in the training set" in note for note in got.notes]
    assert leaks[:2] == [True, True]
    assert any("the label 'cooking'" in note for note in got.notes[2:])


def test_rows_without_a_label_or_a_text_are_left_out_and_told(tmp_path: Path) -> None:
    got = evaluate(tmp_path, "label\ttext\n\tball\nsport\t \n" + TRAIN, TEST)
    left = next(note for note in got.notes if "excluded" in note)
    assert "1 row without a label and 1 row without a text" in left
    assert got.training.n_train + got.training.n_development == 60


def test_a_label_never_seen_in_training_is_told_and_wrong(tmp_path: Path) -> None:
    got = evaluate(tmp_path, TRAIN, TEST + "cooking\train\ncooking\tsnow\n")
    assert got.languages["en"].n == 32
    assert any("rows have the label 'cooking'" in note for note in got.notes)


def test_similar_labels_are_merged_where_that_is_asked(tmp_path: Path) -> None:
    train = TRAIN + "Sport \tball team\nSPORT\tgoal\n"
    got = evaluate(tmp_path, train, TEST, similar_labels="merge")
    assert got.training.classes == ("politics", "sport", "weather")
    with pytest.raises(UserError, match=r"'sport' and 'SPORT' differ only by case"):
        evaluate(tmp_path, train, TEST)
    with pytest.raises(UserError, match=r"'weather' and 'Weather' differ only"):
        evaluate(tmp_path, TRAIN, "de=Weather\train\nsport\tball\n")


def test_documents_are_the_mean_of_their_sentences(tmp_path: Path) -> None:
    train = "".join(f"{label}\t{text}. The the.\n" for label, text in make_rows(60))
    got = evaluate(tmp_path, train.replace("the", "law"), TEST, documents=True)
    assert got.languages["en"].accuracy > 0.5


ONE_CLASS = "sport\tball\nsport\tgoal\n"
SCORES = "7\tball\tgoal\n" + "1\tball\tgoal\n" * 5


@pytest.mark.parametrize(
    ("train", "test", "fields", "message"),
    [
        (ONE_CLASS, TEST, {}, r"train.tsv has only the class 'sport'"),
        (TRAIN + "food\trice\n", TEST, {}, r"the class 'food' has a single row"),
        (TRAIN, "de=cooking\tx\n", {}, r"none of its labels occurs in training"),
        (TRAIN + "sport\n", TEST, {}, r"line 61: there is one column"),
        (TRAIN + "a\tb\tc\td\n", TEST, {}, r"line 61: there are 4 columns"),
        (TRAIN + "sport\tball\tgoal\n", TEST, {}, r"line 61: the row has two texts"),
        ("\tball\n", TEST, {}, r"has no labelled row"),
        ("", TEST, {}, r"train.tsv is empty \(0 bytes\). Each line is a label, a tab"),
        (TRAIN, f"en={pair_rows(4)}", {}, r"has pairs of texts, but the classifier"),
        (TRAIN, TEST, {"head": "nli"}, r"has one text per row, but the head nli"),
        (TRAIN, TEST, {"matrix": True}, r"is for classes of pairs"),
        (
            SCORES,
            TEST,
            {"head": "relatedness"},
            r"line 1: '7' is not a score",
        ),
        (TRAIN, TEST, {"classifier": "x"}, r"either the rows to train on, or a"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(
    tmp_path: Path, train: str, test: str, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        evaluate(tmp_path, train, test, **fields)


@pytest.mark.parametrize("test", ["en", "=a.tsv", "en="])
def test_a_test_names_a_language_and_a_file(test: str) -> None:
    params = build_params(EvaluateTransfer, {"train": "a.tsv", "tests": [test]})
    with pytest.raises(UserError, match=r"is not LANGUAGE=FILE, such as de=test.tsv"):
        evaluate_transfer(None, params, Report())


def test_a_language_is_tested_once(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="The language en is listed twice"):
        evaluate(tmp_path, TRAIN, TEST, TEST)


def test_a_cancel_is_met(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(TRAIN, encoding="utf-8")
    place = str(tmp_path / "a.tsv")
    params = build_params(EvaluateTransfer, {"train": place, "tests": [f"en={place}"]})
    report = Report()
    report.cancel()
    with pytest.raises(Cancelled):
        evaluate_transfer(None, params, report)


def test_a_kept_classifier_is_tested_on_corpora(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_words(monkeypatch)
    with make_barn(tmp_path) as project:
        training = build_params(TrainClassifier, {"name": "a", "train": ["topics"]})
        train_classifier(project, training, Report())
        add_labelled(project, "de", "de", make_rows(30, prefix="x", seed=4))
        add_labelled(project, "en", "en", make_rows(30, seed=4))
        values = {"classifier": "a", "tests": ["de=de", "en=en"]}
        params = build_params(EvaluateTransfer, values)
        run = queue_run(project, params)
        got = evaluate_transfer(project, params, Report(run=run))
        assert score_of(got, "de").accuracy == score_of(got, "en").accuracy > 0.8
        details = read_transfer(project.store, run)
        assert [one.name for one in details] == ["de", "en"]
        said = read_transfer_predictions(project.store, run)
        right = np.mean(said["de"].predicted == said["de"].gold)
        assert right == pytest.approx(score_of(got, "de").accuracy)
        assert details[0].errors[0].nearest[0].sentence >> 32 == 1


def test_the_classifier_of_a_test_is_kept_under_a_free_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_words(monkeypatch)
    with make_barn(tmp_path) as project:
        add_labelled(project, "Letters", "en", make_rows(40))
        add_labelled(project, "Briefe", "de", make_rows(40, prefix="x", seed=3))
        params = EvaluateTransfer(
            train="Letters", tests=("de=Briefe",), keep_as="Topics", head="centroid"
        )
        got = evaluate_transfer(project, params, Report())
        (row,) = list_classifiers(project.store)
        assert (row.name, row.head, row.language) == ("Topics", "centroid", "en")
        again = EvaluateTransfer(classifier="Topics", tests=("de=Briefe",))
        assert evaluate_transfer(project, again, Report()).languages == got.languages
        with pytest.raises(UserError, match="'Topics' already exists"):
            evaluate_transfer(project, params, Report())
    with pytest.raises(UserError, match="kept in a project"):
        evaluate(tmp_path, TRAIN, TEST, keep_as="Topics")


def test_the_training_set_itself_is_tested_by_cross_validation(tmp_path: Path) -> None:
    noise = [(label, f"the {index}") for index in range(10) for label in TOPICS]
    (tmp_path / "a.tsv").write_text(as_lines(noise), encoding="utf-8")
    index = str(tmp_path / "a.tsv")
    fields = {"train": index, "tests": [f"en={index}"], "head": "knn", "k": 1}
    got = evaluate_transfer(None, build_params(EvaluateTransfer, fields), Report())
    note = "English is the training set: it was tested by cross-validation."
    assert got.notes[0] == note
    assert score_of(got, "en").accuracy < 0.6


def test_a_cross_validation_of_perceptrons_counts_over_all_folds(
    tmp_path: Path,
) -> None:
    class Folds(SilentSink):
        def progress(self, stage: str, done: int, total: int, note: str) -> None:
            if stage == "Cross-validating":
                seen.append((done, total, note))

    seen: list[tuple[int, int, str]] = []
    report = Report(Folds())
    report.INTERVAL_S = 0.0
    (tmp_path / "a.tsv").write_text(TRAIN, encoding="utf-8")
    place = str(tmp_path / "a.tsv")
    fields = {"train": place, "tests": [f"en={place}"], "head": "mlp", "n_epochs": 8}
    evaluate_transfer(None, build_params(EvaluateTransfer, fields), report)
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)
    assert {total for _, total, _ in seen} == {40}
    assert (39, 40, "fold 5 of 5") in seen
    assert {note for done, _, note in seen if 8 <= done < 16} == {"fold 2 of 5"}


def test_details_that_cannot_be_written_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> bytes:
        raise OSError(28, "No space left on device")

    (tmp_path / "out").mkdir()
    monkeypatch.setattr(msgspec.json, "format", refuse)
    with pytest.raises(OSError, match="No space"):
        evaluate(tmp_path, TRAIN, TEST, out=str(tmp_path / "out" / "details.json"))
    assert list((tmp_path / "out").iterdir()) == []
