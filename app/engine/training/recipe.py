"""What a training makes of its params: a trainer to begin with, an encoder to end with.

Static encoders by ranking alone take a trainer whose gradient is written out; every
other choice trains a torch module.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec
from torch import Tensor

from app.engine.encoders.checkpoint import find_encoder
from app.engine.encoders.configs import (
    BaseConfig,
    EncoderConfig,
    architecture_of,
)
from app.engine.encoders.folder import read_config
from app.engine.encoders.neural import SentenceModule
from app.engine.encoders.new_config import (
    TrainableConfig,
    new_config,
    vocabulary_files,
)
from app.engine.encoders.weights import load_module
from app.engine.report import Report
from app.engine.training.leaks import KeptOut
from app.engine.training.objectives.mixture import parse_objectives
from app.engine.training.trainer import Trainer
from app.errors import UserError
from app.params.training import TrainEncoder

if TYPE_CHECKING:
    from app.engine.encoders.neural import SentenceModule

SMALLEST_BATCH = 2

_KINDS = {
    "static": "Static encoder",
    "bilstm": "BiLSTM encoder",
    "transformer": "Transformer encoder",
}
_FREE = {"dropout", "max_tokens", "precision"}  # need not be those of the initial one


class Work(NamedTuple):
    """What a training works with.

    Attributes:
        folder: what is cut, mined and saved on the way.
        project_folder: where encoders are looked up besides the bundled ones.
        files: TSV of english⇥foreign to train on.
        languages: codes of what is trained on.
        kept_out: sentences that must not be seen, those measured on too.
        vocabulary: folder of the vocabulary.
        device: a torch device.
    """

    folder: Path
    project_folder: Path | None
    files: tuple[Path, ...]
    languages: tuple[str, ...]
    kept_out: KeptOut
    vocabulary: Path
    device: str


class Recipe(Protocol):
    """How one architecture is trained and saved.

    Attributes:
        device: that it trains on.
        n_examples: pairs or other examples to train on.
        notes: sentences for the user about the data.
    """

    device: str
    n_examples: int
    notes: tuple[str, ...]

    def make(self, params: TrainEncoder) -> Trainer:
        """Make a trainer; the params' batch may be smaller than that of the recipe."""

    def save(self, out: Path, weights: Mapping[str, Tensor], card: str) -> None:
        """Write the encoder's folder."""


class Initial(NamedTuple):
    """An encoder to go on from: its folder, config and module."""

    folder: Path
    config: EncoderConfig
    module: "SentenceModule"


def make_recipe(work: Work, params: TrainEncoder, report: Report) -> Recipe:
    """Choose and make the recipe of the params.

    Raises:
        UserError: the data or the initial encoder do not fit the params.
    """
    initial = _load_initial(work, params)
    if is_fast(params):
        from app.engine.training.static_recipe import StaticRecipe

        return StaticRecipe(work, params, report, initial)
    from app.engine.training.module_recipe import ModuleRecipe

    return ModuleRecipe(work, params, report, initial)


def is_fast(params: TrainEncoder) -> bool:
    """Tell whether the trainer with the written-out gradient does all that is asked."""
    names = [one.name for one in parse_objectives(params.objectives)]
    return (
        params.architecture == "static"
        and names == ["ranking"]
        and params.direction == "both"
        and params.similarity == "cosine"
        and params.precision in ("auto", "float32")
        and params.n_accumulated == 1
        and not params.batch_tokens
        and not params.clip_norm
        and not params.learns_temperature
        and not params.n_hard_negatives
    )


def make_config(params: TrainEncoder, work: Work) -> TrainableConfig:
    """Describe the encoder that the params ask for.

    Raises:
        UserError: the sizes do not fit each other.
    """
    n = len(work.languages)
    words = f"{_KINDS[params.architecture]} of {params.dim} dimensions"
    description = f"{words}, trained on {n} languages." if n else f"{words}."
    return new_config(
        params, work.vocabulary, description=description, languages=work.languages
    )


def smaller_batch(params: TrainEncoder, n_halvings: int) -> TrainEncoder:
    """Halve the batch some times, in pairs and in tokens."""
    return msgspec.structs.replace(
        params,
        batch_size=max(SMALLEST_BATCH, params.batch_size >> n_halvings),
        # 0 would be no bound at all
        batch_tokens=max(params.batch_tokens >> n_halvings, params.batch_tokens and 1),
    )


def check_initial(config: TrainableConfig, initial: Initial, vocabulary: Path) -> None:
    """Refuse an initial encoder of other sizes or of other pieces.

    Raises:
        UserError: its architecture, a size or its vocabulary differs.
    """
    wanted, found = architecture_of(config), architecture_of(initial.config)
    if wanted != found:
        raise UserError(
            f"{initial.config.name} is a {found} encoder: choose that architecture to "
            "go on from it."
        )
    sizes = {*config.__struct_fields__} - {*BaseConfig.__struct_fields__} - _FREE | {
        "dim"
    }
    differing = [
        f"{name} {getattr(initial.config, name)}"
        for name in sorted(sizes)
        if getattr(config, name) != getattr(initial.config, name)
    ]
    if differing:
        raise UserError(
            f"{initial.config.name} has other sizes ({', '.join(differing)}): set the "
            "same to go on from it."
        )
    if vocabulary_files(vocabulary) != vocabulary_files(initial.folder):
        raise UserError(
            f"{initial.config.name} has another vocabulary than {vocabulary}, and its "
            "rows stand for its own pieces: name no vocabulary to go on with them."
        )


def _load_initial(work: Work, params: TrainEncoder) -> Initial | None:
    if not params.initial:
        return None

    return Initial(*load_initial(params.initial, work.project_folder))


def load_initial(
    name: str, project_folder: Path | None = None
) -> tuple[Path, EncoderConfig, SentenceModule]:
    """Load the module of an encoder to go on training it.

    Returns:
        Its folder, where its vocabulary is; its config; the module, on the CPU.

    Raises:
        UserError: there is no such encoder, or it was made elsewhere.
    """
    folder = find_encoder(name, project_folder)
    config = read_config(folder)
    if not isinstance(config, TrainableConfig):
        raise UserError(
            f"{config.name} was made elsewhere and can't be trained on: choose a "
            "static, BiLSTM or transformer encoder of Isogloss."
        )
    return folder, config, load_module(folder, config)
