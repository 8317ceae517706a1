"""Thresholds in the unit of the scores."""

import numpy as np
import pytest
import torch

from app.engine.mining.block_scan import round_up


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_rounded_threshold_is_reached_by_the_same_scores(dtype: torch.dtype) -> None:
    random = np.random.default_rng(1)
    values = torch.from_numpy(random.uniform(-1, 1, 5_000).astype(np.float32))
    edges = [0.0, -0.0, 1.0, -1.0, 1e-6, -1e-6, torch.inf, -torch.inf]
    values = torch.cat([values, values.to(dtype).float(), torch.tensor(edges)])
    rounded = round_up(values, dtype).float()
    assert bool((rounded >= values).all())
    scores = torch.from_numpy(random.uniform(-1, 1, 5_000).astype(np.float32))
    scores = scores.to(dtype).float()
    for value, form in zip(values[::7], rounded[::7], strict=True):
        assert torch.equal(scores >= value, scores >= form)
