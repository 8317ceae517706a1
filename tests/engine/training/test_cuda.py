"""Trainings on a GPU: half precision, and a resumed curve within its tolerance."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch

from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.trainers.precision import repeatable
from app.engine.training.trainers.state import load_state, save_state
from app.engine.training.trainers.trainer import Trainer
from tests.engine.training.making import BILSTM, STATIC, make_tiny

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
    pytest.mark.filterwarnings("ignore:.*deterministic.*"),
]
DEVICE = "cuda:0"
TOLERANCE = 1e-3  # of a loss: what `repeatable` states


def losses_of(trainer: Trainer, n_steps: int) -> list[float]:
    losses = []
    for _ in range(n_steps):
        trainer.prepare(Report())
        losses.append(trainer.make_step(wants_values=True).loss)
    return losses


@pytest.mark.parametrize("precision", ["auto", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("architecture", ["bilstm", "transformer"])
def test_a_resumed_curve_is_the_same_within_the_tolerance(
    precision: str, architecture: str, vocabulary: Vocabulary, tmp_path: Path
) -> None:
    params = msgspec.structs.replace(
        BILSTM, precision=precision, architecture=architecture, n_heads=2, filter_dim=32
    )
    with repeatable(DEVICE):
        recipe = make_tiny(vocabulary, tmp_path, params, DEVICE)
        whole = recipe.make(params)
        losses_of(whole, 5)
        save_state(tmp_path, whole.state())
        expected = losses_of(whole, 10)
        resumed = recipe.make(params)
        state = load_state(tmp_path)
        assert state is not None
        resumed.restore(state)
        np.testing.assert_allclose(losses_of(resumed, 10), expected, rtol=TOLERANCE)
    has_bfloat16 = torch.cuda.is_bf16_supported(including_emulation=False)
    automatic = "bfloat16" if has_bfloat16 else "float16"
    assert resumed.precision == (automatic if precision == "auto" else precision)


def test_the_static_trainer_learns_on_the_gpu_as_on_the_cpu(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    curves = []
    for device in ("cpu", DEVICE):
        recipe = make_tiny(vocabulary, tmp_path / device[:4], STATIC, device)
        curves.append(losses_of(recipe.make(STATIC), 20))
    np.testing.assert_allclose(curves[0], curves[1], rtol=1e-2)
