"""The Tatoeba figures over a folder, with an encoder whose vectors are known."""

import lzma
from pathlib import Path

import pytest

from app.engine.evaluation.laser_figures import LASER_ERRORS
from app.engine.runtime.report import Report
from app.engine.tasks import evaluate_tatoeba as module
from app.engine.tasks.evaluate_tatoeba import evaluate_tatoeba
from app.errors import UserError
from app.params.vectors import EvaluateTatoeba
from tests.engine.tasks.test_evaluate_retrieval import Compass


@pytest.fixture(autouse=True)
def compass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: Compass())


def write_set(folder: Path, code: str, foreign: str, english: str) -> None:
    stem = folder / f"tatoeba.{code}-eng"
    Path(f"{stem}.{code}").write_text(foreign, encoding="utf-8")
    Path(f"{stem}.eng").write_text(english, encoding="utf-8")


def test_means_are_over_languages_and_directions(tmp_path: Path) -> None:
    write_set(tmp_path, "deu", "0\n90\n", "1\n91\n")
    # foreign sentences find English 0, 0; English ones find foreign 0, 1
    write_set(tmp_path, "xxx", "0\n20\n", "1\n60\n")
    (tmp_path / "tatoeba.zzz-eng.eng").write_text("", encoding="utf-8")
    result = evaluate_tatoeba(None, EvaluateTatoeba(directory=tmp_path), Report())
    assert list(result.languages) == ["deu", "xxx"]
    assert result.languages["xxx"].error_source_to_target == 0.5
    assert result.languages["xxx"].error_target_to_source == 0
    assert result.languages["xxx"].error == 0.25
    assert result.mean_error == 0.125
    assert result.mean_error_twelve == 0
    assert result.languages_under_10_percent == 1


def test_means_have_intervals_over_the_sentences(tmp_path: Path) -> None:
    # xxx: of 30 pairs six are wrong in both directions, three in one
    english = [12 * row for row in range(30)]
    foreign = [*english[:24], *(angle + 12 for angle in english[24:])]
    for code, sides in (("deu", english), ("xxx", foreign)):
        lines = ("".join(f"{one}\n" for one in side) for side in (sides, english))
        write_set(tmp_path, code, *lines)
    result = evaluate_tatoeba(None, EvaluateTatoeba(directory=tmp_path), Report())
    error = result.languages["xxx"].error
    assert 0.15 < error < 0.25
    # the other language is always right: half of the binomial interval of 30
    low, high = result.mean_error_interval
    assert low < error / 2 < high
    half = 1.96 * (error * (1 - error) / 30) ** 0.5 / 2
    assert high - low == pytest.approx(2 * half, rel=0.25)
    assert result.mean_error_twelve_interval == pytest.approx((0, 0))
    assert result.languages_under_10_percent_interval == pytest.approx((1, 2))
    words = "compass: mean retrieval error over 2 languages of Tatoeba: "
    assert result.message.startswith(words)


def test_lasers_figures_stand_beside_ours(tmp_path: Path) -> None:
    write_set(tmp_path, "deu", "0\n90\n", "1\n91\n")
    write_set(tmp_path, "xxx", "0\n90\n", "1\n91\n")
    result = evaluate_tatoeba(None, EvaluateTatoeba(directory=tmp_path), Report())
    assert result.languages["deu"].laser_error == pytest.approx(0.0095)
    assert result.languages["xxx"].laser_error is None
    assert result.laser.mean_error == pytest.approx(0.0095)
    assert result.laser.languages_under_10_percent == 1


def test_without_a_large_language_there_is_no_mean_of_twelve(tmp_path: Path) -> None:
    write_set(tmp_path, "xxx", "0\n90\n", "1\n91\n")
    result = evaluate_tatoeba(None, EvaluateTatoeba(directory=tmp_path), Report())
    assert result.mean_error_twelve is None
    assert result.laser.mean_error is None


def test_folder_without_sets_is_a_users_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no test set"):
        evaluate_tatoeba(None, EvaluateTatoeba(directory=tmp_path), Report())


def test_lasers_figures_are_rates_of_112_languages() -> None:
    assert len(LASER_ERRORS) == 112
    assert all(0 < error < 1 for error in LASER_ERRORS.values())


def test_sets_may_be_compressed(tmp_path: Path) -> None:
    write_set(tmp_path, "deu", "0\n90\n", "1\n91\n")
    for ending in ("deu", "eng"):
        file = tmp_path / f"tatoeba.deu-eng.{ending}"
        packed = file.with_name(f"{file.name}.xz")
        packed.write_bytes(lzma.compress(file.read_bytes()))
        file.unlink()
    result = evaluate_tatoeba(None, EvaluateTatoeba(directory=tmp_path), Report())
    assert result.languages["deu"].error == 0
