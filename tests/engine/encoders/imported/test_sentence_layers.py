"""Pooling, dense and normalise layers against values worked out by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from app.engine.encoders.imported.folder_check import Module
from app.engine.encoders.imported.sentence_layers import (
    TokenPooling,
    read_layers,
    read_pooling,
)
from app.errors import UserError

STATES = torch.tensor([[[1.0, -4.0], [3.0, -2.0], [9.0, 9.0]]])
IS_TOKEN = torch.tensor([[True, True, False]])
DENSE = {
    "in_features": 2,
    "out_features": 1,
    "bias": True,
    "activation_function": "torch.nn.modules.activation.Tanh",
}


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("cls", [1, -4]),
        ("max", [3, -2]),
        ("mean", [2, -3]),
        ("mean_sqrt_len_tokens", [4 / 2**0.5, -6 / 2**0.5]),
        ("weightedmean", [7 / 3, -8 / 3]),
        ("lasttoken", [3, -2]),
    ],
)
def test_each_pooling_leaves_padding_out(mode: str, expected: list[float]) -> None:
    pooled = TokenPooling((mode,))(STATES, IS_TOKEN)
    torch.testing.assert_close(pooled, torch.tensor([expected]).float())


def _write(folder: Path, settings: dict[str, Any]) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")


@pytest.mark.parametrize(
    "settings",
    [
        {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True},
        {"pooling_mode": ["mean", "cls"]},
    ],
)
def test_poolings_are_joined_in_the_packages_order(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    _write(tmp_path / "p", settings)
    pooling = read_pooling(tmp_path, [Module("Pooling", "p")])
    expected = torch.tensor([[1.0, -4.0, 2.0, -3.0]])
    torch.testing.assert_close(pooling(STATES, IS_TOKEN), expected)


def test_dense_then_unit_length(tmp_path: Path) -> None:
    _write(tmp_path / "d", DENSE)
    weights = {
        "linear.weight": torch.tensor([[0.5, 0.25]]),
        "linear.bias": torch.tensor([0.1]),
    }
    save_file(weights, tmp_path / "d" / "model.safetensors")
    layers, dim = read_layers(tmp_path, [Module("Dense", "d")], 2)
    expected = torch.tanh(torch.tensor([[0.5 * 2 + 0.25 * 4 + 0.1]]))
    torch.testing.assert_close(layers(torch.tensor([[2.0, 4.0]])), expected)
    assert dim == 1
    both = [Module("Dense", "d"), Module("Normalize", "n")]
    unit, _ = read_layers(tmp_path, both, 2)
    torch.testing.assert_close(unit(torch.tensor([[2.0, 4.0]])), torch.ones(1, 1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"activation_function": "os.system"}, "activation 'os.system'"),
        ({"activation_function": "torch.nn.evil.System"}, "unknown activation"),
        ({"out_features": 10**9}, "doesn't match"),
        ({"in_features": 3}, "doesn't match"),
        ({"module_input_name": "token_embeddings"}, "not supported"),
        ({"out_features": 4}, "doesn't contain the weights"),
    ],
)
def test_dense_layer_that_does_not_fit_is_refused(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    _write(tmp_path / "d", {**DENSE, **change})
    weights = {"linear.weight": torch.ones(1, 2), "linear.bias": torch.ones(1)}
    save_file(weights, tmp_path / "d" / "model.safetensors")
    with pytest.raises(UserError, match=message):
        read_layers(tmp_path, [Module("Dense", "d")], 2)


def test_no_known_pooling_is_a_users_error(tmp_path: Path) -> None:
    _write(tmp_path / "p", {"pooling_mode": "sum"})
    with pytest.raises(UserError, match="doesn't set pooling"):
        read_pooling(tmp_path, [Module("Pooling", "p")])
