"""What labels of the target language add, by repeated draws."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import insert

from app.engine.project.project import create_project
from app.engine.runtime.report import Report, SilentSink
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks import evaluate_few_shot as few_shot
from app.engine.tasks import evaluate_few_shot as module
from app.engine.tasks.evaluate_few_shot import evaluate_few_shot
from app.errors import UserError
from app.params import build_params
from app.params.classify import EvaluateFewShot
from app.results.transfer import EvaluateFewShotResult
from tests.engine.classify.barn import add_labelled
from tests.engine.classify.word_encoder import WordEncoder, as_lines, make_rows

# In the target language the words of sport stand for politics and the other way.
TURNED = {"sport": "politics", "politics": "sport", "weather": "weather"}
OTHER = [  # no two alike
    (TURNED[topic], f"{text} {place}")
    for place, (topic, text) in enumerate(make_rows(180, seed=4))
]


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: WordEncoder())


def measure(
    folder: Path,
    target: str,
    test: str = "",
    *,
    report: Report | None = None,
    **fields: Any,
) -> Any:
    values: dict[str, Any] = {
        "train": "train.tsv",
        "target": "target.tsv",
        "repeats": 3,
        "inverse_l2": 16,
    }
    values |= fields
    texts = {"train.tsv": as_lines(make_rows(30)), "target.tsv": target}
    for name, text in (texts | ({"test.tsv": test} if test else {})).items():
        (folder / name).write_text(text, encoding="utf-8")
    if test:
        values["test"] = "test.tsv"
    named = ("train", "target", "test")
    values |= {name: str(folder / values[name]) for name in named if name in values}
    params = build_params(EvaluateFewShot, values)
    return evaluate_few_shot(None, params, report or Report())


def test_the_gain_has_an_interval_over_rows_and_draws() -> None:
    zero_shot = np.zeros(100, np.bool_)
    right = np.arange(100) < 50  # each draw makes the same half right
    low, high = few_shot._gain_interval(zero_shot, np.stack([right] * 5), seed=1)
    assert (low, high) == pytest.approx((0.4, 0.6), abs=0.02)  # ± 1.96 √(0.25 / 100)
    draws = np.stack([np.full(100, index < 2) for index in range(4)])
    low, high = few_shot._gain_interval(zero_shot, draws, seed=1)
    assert (low, high) == (0.0, 1.0)  # 4 draws of a fair coin: ends have 1 in 16 each
    assert few_shot._gain_interval(right, right[None], seed=1) == (0.0, 0.0)


def test_labels_of_the_target_language_help(tmp_path: Path) -> None:
    class Draws(SilentSink):
        def progress(self, stage: str, done: int, total: int, note: str) -> None:
            if stage == "Drawing labels":
                seen.append((done, total, note))

    seen: list[tuple[int, int, str]] = []
    report = Report(Draws())
    report.INTERVAL_S = 0.0
    got = measure(tmp_path, as_lines(OTHER), report=report, sizes=[5, 90])
    draws = [(n, 6, "5 labels" if n < 3 else "90 labels") for n in range(6)]
    assert list(dict.fromkeys(seen)) == draws
    assert isinstance(got, EvaluateFewShotResult)
    few, many = got.points
    assert (few.n, many.n, got.n_test) == (5, 90, 90)
    assert got.zero_shot < 0.6 < many.accuracy
    assert few.accuracy < many.accuracy
    assert many.lowest <= many.accuracy <= many.highest
    assert few.gain_interval is not None
    assert many.gain_interval is not None
    low, high = many.gain_interval
    assert 0 < low < many.accuracy - got.zero_shot < high
    assert low > few.gain_interval[0]
    assert ", trained on " in got.message
    assert many.alone is not None
    assert many.alone > 0.8


def test_the_same_seed_gives_the_same_curve(tmp_path: Path) -> None:
    one, other = (
        measure(tmp_path, as_lines(OTHER), sizes=[20], repeats=2, seed=5)
        for _ in range(2)
    )
    assert one == other


def test_a_test_set_of_its_own_is_not_drawn_from(tmp_path: Path) -> None:
    test = as_lines(OTHER[100:])
    got = measure(tmp_path, as_lines(OTHER[:100]), test, sizes=[100], repeats=1)
    assert (got.points[0].n, got.n_test) == (100, 80)


@pytest.mark.parametrize(
    ("target", "fields", "message"),
    [
        (as_lines(OTHER), {"sizes": [500]}, r"has 90 rows to draw from, fewer than"),
        ("cooking\trice\ncooking\tsoup\n", {}, r"none of its labels occurs"),
        (as_lines(OTHER), {"head": "relatedness"}, r"needs classes, not scores"),
        ("sport\tball\tgoal\n", {}, r"one has single texts and the other pairs"),
    ],
)
def test_what_does_not_do_is_refused(
    tmp_path: Path, target: str, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        measure(tmp_path, target, **fields)


def test_translations_of_the_target_are_not_trained_on(tmp_path: Path) -> None:
    rows = make_rows(60)
    with create_project(tmp_path / "p.isogloss") as project:
        for name, language in (("English", "en"), ("Deutsch", "de")):
            add_labelled(project, name, language, rows)
        links = [
            {
                "source_id": first_sentence_id(1) + n,
                "target_id": first_sentence_id(2) + n,
                "kind": "gold",
            }
            for n in range(20)
        ]
        with project.store.begin() as connection:
            connection.execute(insert(schema.link), links)
        values = {"train": "English", "target": "Deutsch", "sizes": [10], "repeats": 1}
        told = {
            apart: evaluate_few_shot(
                project,
                build_params(EvaluateFewShot, values | {"apart": apart}),
                Report(),
            ).n_train
            for apart in (False, True)
        }
    assert told == {False: 60, True: 40}


def test_numbers_that_there_are_not_are_told(tmp_path: Path) -> None:
    got = measure(tmp_path, as_lines(OTHER[:40]), sizes=[5, 900], repeats=1)
    assert [point.n for point in got.points] == [5]
    assert got.message.endswith("Skipped 900: there are only 21 rows to draw from.")
