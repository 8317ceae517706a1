"""Plans of translation trainings: from some steps to the whole training."""

from pathlib import Path
from typing import Any

import pytest

from app.engine.runtime.report import Report
from app.engine.tasks.plan_translation import plan_translation
from app.engine.tasks.train_translation import train_translation
from app.engine.translation import trial
from app.errors import UserError
from app.params import build_params
from app.params.translation import PlanTranslation, TrainTranslation
from tests.engine.translation.made import SETTINGS, make_rows, write_table


@pytest.fixture(autouse=True)
def short_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try a few steps only."""
    monkeypatch.setattr("app.engine.training.trial.TRY_S", 0.05)


def _values(folder: Path, **changes: Any) -> dict[str, Any]:
    table = write_table(folder / "table.tsv")
    return {**SETTINGS, "table": str(table), "name": "planned", **changes}


def test_a_plan_counts_what_the_training_has(tmp_path: Path) -> None:
    values = _values(tmp_path, without=["fra-deu"], copies=True)
    plan = plan_translation(None, build_params(PlanTranslation, values), Report())
    assert [file.name for file in tmp_path.iterdir()] == ["table.tsv"]
    wanted = build_params(TrainTranslation, {**values, "out": str(tmp_path / "model")})
    trained = train_translation(None, wanted, Report())
    assert plan.n_parameters == trained.n_parameters
    assert plan.n_examples == sum(one.n_pairs for one in trained.directions)
    assert plan.step_s > 0
    assert plan.measure_s > 0
    n_measurements = 1 + 8 // 4
    assert plan.time_s == pytest.approx(
        plan.prepare_s + 8 * plan.step_s + n_measurements * plan.measure_s
    )
    assert plan.memory_bytes > 16 * plan.n_parameters
    # the best weights: it ends before the first checkpoint
    assert plan.disk_bytes == 4 * plan.n_parameters
    assert plan.saved_bytes == 2 * plan.n_parameters
    assert any("excludes the time to train them" in note for note in plan.notes)


def test_a_small_sample_does_not_make_a_small_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "SAMPLE_PAIRS", 20)
    values = _values(tmp_path, n_pieces=800, languages=["eng", "deu"])
    params = build_params(PlanTranslation, values)
    plan = plan_translation(None, params, Report())
    wanted = build_params(TrainTranslation, {**values, "out": str(tmp_path / "model")})
    trained = train_translation(None, wanted, Report())
    # the few words of these texts are in the sample, so that no more are to come
    assert trained.n_parameters <= plan.n_parameters < 2 * trained.n_parameters
    assert plan.n_examples > len(make_rows())


def test_a_plan_refuses_what_the_training_refuses(tmp_path: Path) -> None:
    values = _values(tmp_path, languages=["eng", "fin"])
    with pytest.raises(UserError, match=r"has no Finnish \(fin\)"):
        plan_translation(None, build_params(PlanTranslation, values), Report())
