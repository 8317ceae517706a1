"""Layers of sentence-transformers after the body: pooling, dense, normalise."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from app.engine.encoders.imported.folder_check import Module, read_settings
from app.errors import UserError

# In the order in which the package concatenates them, with names in old and new
# configs.
POOLINGS = {
    "cls": "pooling_mode_cls_token",
    "max": "pooling_mode_max_tokens",
    "mean": "pooling_mode_mean_tokens",
    "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}
ACTIVATIONS: dict[str, type[nn.Module]] = {
    name: getattr(nn, name)
    for name in ("Identity", "Tanh", "ReLU", "GELU", "Sigmoid", "SiLU")
}
SENTENCE = "sentence_embedding"  # input and output of a dense layer
TINY = 1e-12  # lower limit of norms in divisions
MAX_DIM = 65_536


class TokenPooling(nn.Module):
    """Concatenated poolings of the tokens' states: (b, t, h) -> (b, k * h)."""

    def __init__(self, modes: tuple[str, ...]):
        super().__init__()
        self.modes = modes

    def forward(self, states: Tensor, is_token: Tensor) -> Tensor:
        """Pool states (b, t, h) over the tokens, is_token (b, t)."""
        parts = [_pool(mode, states, is_token) for mode in self.modes]
        return torch.cat(parts, dim=1)


class UnitLength(nn.Module):
    """Scales each row to length 1."""

    def forward(self, vectors: Tensor) -> Tensor:
        """Return (b, d)."""
        return functional.normalize(vectors, dim=1, eps=TINY)


def read_pooling(folder: Path, modules: list[Module]) -> TokenPooling:
    """Return the poolings to concatenate; the mean if there is no pooling module.

    Raises:
        UserError: no pooling or an unknown pooling is set.
    """
    found = [module for module in modules if module.kind == "Pooling"]
    if not found:
        return TokenPooling(("mean",))
    file = folder / found[0].path / "config.json"
    settings = read_settings(file)
    named = settings.get("pooling_mode")
    if named is None:
        modes = tuple(mode for mode, key in POOLINGS.items() if settings.get(key))
    else:
        wanted = [named] if isinstance(named, str) else list(named)
        unknown = [mode for mode in wanted if mode not in POOLINGS]
        modes = () if unknown else tuple(mode for mode in POOLINGS if mode in wanted)
    if not modes:
        raise UserError(f"{file} doesn't set pooling to any of {', '.join(POOLINGS)}.")
    if settings.get("include_prompt") is False:
        raise UserError(
            f"{file} excludes the prompt from pooling, which is not supported."
        )
    return TokenPooling(modes)


def read_layers(folder: Path, modules: list[Module], dim: int) -> tuple[nn.Module, int]:
    """Read the layers after the pooling.

    Args:
        folder: folder of the encoder.
        modules: modules in modules.json.
        dim: dimension after the pooling.

    Returns:
        The layers, (b, dim) -> (b, d), and d.

    Raises:
        UserError: a layer's weights are missing, damaged, or have a wrong shape.
    """
    layers: list[nn.Module] = []
    for module in modules:
        place = folder / module.path
        if module.kind == "Dense":
            linear, activation = _read_dense(place, dim)
            layers += [linear, activation]
            dim = linear.out_features
        elif module.kind == "LayerNorm":
            norm = nn.LayerNorm(dim)
            _fill(norm, place, "norm.")
            layers.append(norm)
        elif module.kind == "Normalize":
            layers.append(UnitLength())
    return nn.Sequential(*layers), dim


def read_tensors(file: Path) -> dict[str, Tensor]:
    """Read a safetensors file as float32.

    Raises:
        UserError: the file is missing or damaged, or contains values that are not
            finite.
    """
    try:
        tensors = {name: value.float() for name, value in load_file(file).items()}
    except (SafetensorError, OSError) as error:
        raise UserError(f"{file} is damaged or missing. Download it again.") from error
    if not all(bool(torch.isfinite(value.sum())) for value in tensors.values()):
        raise UserError(f"{file} contains weights that are not finite.")
    return tensors


def _pool(mode: str, states: Tensor, is_token: Tensor) -> Tensor:
    """Pool (b, t, h) -> (b, h)."""
    if mode == "cls":
        return states[:, 0]
    if mode == "max":
        return states.masked_fill(~is_token[:, :, None], -torch.inf).amax(dim=1)
    weights = is_token.to(states.dtype)  # (b, t)
    if mode == "lasttoken":
        last = weights.sum(dim=1).long() - 1  # (b, t) -> (b,)
        return states[torch.arange(len(states), device=states.device), last]
    if mode == "weightedmean":  # Muennighoff 2022, equation 2: later tokens count more
        weights = weights * torch.arange(1, weights.shape[1] + 1, device=weights.device)
    sums = torch.einsum("bth,bt->bh", states, weights)
    n_tokens = weights.sum(dim=1, keepdim=True)  # (b, t) -> (b, 1)
    return sums / (n_tokens.sqrt() if mode == "mean_sqrt_len_tokens" else n_tokens)


def _read_dense(folder: Path, dim: int) -> tuple[nn.Linear, nn.Module]:
    """Read a dense layer and its activation."""
    file = folder / "config.json"
    settings: Mapping[str, Any] = read_settings(file)
    path = str(settings.get("activation_function", "torch.nn.modules.activation.Tanh"))
    name = path.rpartition(".")[2]
    n_outputs = settings.get("out_features")
    if not path.startswith("torch.nn.") or name not in ACTIVATIONS:
        raise UserError(f"{file}: unknown activation {path!r}.")
    ends = (settings.get("module_input_name"), settings.get("module_output_name"))
    if not set(ends) <= {None, SENTENCE}:
        raise UserError(f"{file} changes token vectors, which is not supported.")
    is_size = isinstance(n_outputs, int) and 0 < n_outputs <= MAX_DIM
    if not is_size or settings.get("in_features") != dim:
        raise UserError(f"{file} doesn't match the {dim:,} dimensions before it.")
    assert isinstance(n_outputs, int)
    linear = nn.Linear(dim, n_outputs, bias=bool(settings.get("bias", True)))
    _fill(linear, folder, "linear.")
    return linear, ACTIVATIONS[name]()


def _fill(layer: nn.Module, folder: Path, prefix: str) -> None:
    """Load a layer's weights from a folder."""
    file = folder / "model.safetensors"
    if not file.is_file() and (folder / "pytorch_model.bin").is_file():
        raise UserError(
            f"{folder} has only pickle weights (.bin), which could run code. "
            "Get or convert it to .safetensors."
        )
    tensors = {
        name.removeprefix(prefix): value for name, value in read_tensors(file).items()
    }
    shapes = {name: value.shape for name, value in layer.state_dict().items()}
    if {name: value.shape for name, value in tensors.items()} != shapes:
        raise UserError(
            f"{file} doesn't contain the weights that config.json describes."
        )
    layer.load_state_dict(tensors)
