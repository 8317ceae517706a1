"""What labelled data holds, told before training."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import insert

from app.engine.classify.cross_validation import find_suspect_labels
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks import check_labels as module
from app.engine.tasks.check_labels import check_labels
from app.errors import UserError
from app.params import build_params
from app.params.classify import CheckLabels
from app.results.labels import CheckLabelsResult
from tests.engine.classify.barn import add_labelled, make_barn, use_words
from tests.engine.classify.word_encoder import WordEncoder, as_lines, make_rows


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: WordEncoder())


def check(folder: Path, train: str, test: str = "", **fields: Any) -> CheckLabelsResult:
    values: dict[str, Any] = {"train": [str(folder / "train.tsv")], **fields}
    (folder / "train.tsv").write_text(train, encoding="utf-8")
    if test:
        (folder / "test.tsv").write_text(test, encoding="utf-8")
        values["tests"] = [f"de={folder / 'test.tsv'}"]
    return check_labels(None, build_params(CheckLabels, values), Report())


def test_the_balance_of_classes_is_told(tmp_path: Path) -> None:
    rows = [("sport", f"ball {'goal ' * i}") for i in range(30)] + [("law", "tax")] * 2
    got = check(tmp_path, as_lines(rows), suspects=0)
    (train,) = got.data.sets
    assert [(one.name, one.n) for one in train.classes] == [("sport", 30), ("law", 2)]
    assert train.n_repeated == 1
    assert "'sport' has 30 training rows, 'law' 2" in got.data.warnings[0]


def test_what_training_would_refuse_is_told_as_a_warning(tmp_path: Path) -> None:
    rows = [("sport", "ball"), ("Sport ", "goal"), ("sport", "team"), ("law", "tax")]
    got = check(tmp_path, as_lines(rows))
    assert "'Sport ' and 'sport' differ only by case or spaces" in got.data.warnings[0]
    assert "2 classes have a single training row" in got.data.warnings[1]
    assert "differ only by case" in got.doubts_note
    one = check(tmp_path, as_lines(rows[:1] * 3))
    assert one.data.warnings == ("The training rows have only one class: 'sport'.",)


def test_equal_texts_with_different_labels_are_told(tmp_path: Path) -> None:
    train = as_lines([*make_rows(30), ("sport", "rain tax"), ("law", "Rain, tax!")])
    got = check(tmp_path, train + "law\tvote\n", suspects=0)
    assert got.data.sets[0].n_contradicting == 2
    assert any("of equal text have different" in text for text in got.data.warnings)


def test_rows_without_a_label_are_counted_among_all_rows(tmp_path: Path) -> None:
    train = as_lines(make_rows(20)) + "".join(f"\tno label {i}\n" for i in range(30))
    got = check(tmp_path, train, suspects=0)
    words = "train: 30 of 50 rows are excluded: they have no label."
    assert words in got.data.warnings


def test_test_rows_that_hide_in_the_training_set_are_told(tmp_path: Path) -> None:
    train = as_lines([*make_rows(30), ("sport", "ball ball goal team")])
    hidden = [("sport", "Ball ball goal team."), ("cooking", "rain rain rain wind")]
    got = check(tmp_path, train, as_lines(hidden), suspects=0)
    test = got.data.sets[1]
    assert (test.name, test.n, test.n_duplicates, test.duplicates) == ("de", 2, 1, (1,))
    assert (
        "de: training has no row of 'cooking', the label of 1 of 2 rows."
        in got.data.warnings
    )
    assert "de: 1 of 2 rows are also in the training set." in got.data.warnings


def test_a_translation_in_the_training_set_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.engine.search import made

    encoder = made.WordEncoder()
    plain = encoder.encode

    def translated(texts: Any) -> Any:
        return plain([text.replace("xword", "word") for text in texts])

    monkeypatch.setattr(encoder, "encode", translated)
    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: encoder)
    rows = [("ab"[i % 2], f"word{i} word{i + 1} word{i + 2}") for i in range(40)]
    test = [("a", "xword7 xword8 xword9"), ("b", "something quite else")]
    got = check(tmp_path, as_lines(rows), as_lines(test), suspects=0)
    assert (got.data.sets[1].n_translations, got.data.sets[1].translations) == (1, (1,))
    assert "look like translations of training rows" in got.data.warnings[-1]


def test_wrong_labels_are_suspected(tmp_path: Path) -> None:
    rows = make_rows(120)
    rows[6] = ("politics", "ball goal team the")
    rows[10] = ("sport", "rain snow wind the")
    got = check(tmp_path, as_lines(rows), suspects=2)
    assert {one.place for one in got.doubtful} == {7, 11}
    assert got.n_doubtful >= 2
    assert {one.suggested for one in got.doubtful} == {"sport", "weather"}


def test_confident_learning_by_hand() -> None:
    shares = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7]], np.float32)
    labels = np.array([0, 0, 0, 1])
    # own: .9 .2 .6 .7; thresholds: (.9 + .2 + .6) / 3 = .57 and .7
    found = find_suspect_labels(shares, labels)
    assert found.rows.tolist() == [1]
    assert found.suggested.tolist() == [1]
    assert found.probabilities.tolist() == [pytest.approx(0.8)]
    assert found.label_probabilities.tolist() == [pytest.approx(0.2)]


def test_pairs_and_single_texts_do_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="one has single texts and the other pairs"):
        check(tmp_path, as_lines(make_rows(9)), "sport\tball\tgoal\n")


def test_linked_sentences_are_translations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_words(monkeypatch)
    with make_barn(tmp_path) as project:
        other = add_labelled(project, "de", "de", [("sport", "Abc"), ("law", "Def")])
        link = {
            "source_id": first_sentence_id(1) + 5,
            "target_id": first_sentence_id(other) + 1,
        }
        with project.store.begin() as connection:
            values = {**link, "kind": "imported"}
            connection.execute(insert(schema.link).values(**values))
        fields = {"train": ["topics"], "tests": ["de=de"], "suspects": 0}
        got = check_labels(project, build_params(CheckLabels, fields), Report())
        assert got.data.sets[1].n_translations == 1
        assert got.data.sets[1].translations == (first_sentence_id(other) + 1,)
