"""Model card of a translation model."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from app.engine.encoders.configs import BridgeConfig
from app.engine.project.runs import versions
from app.engine.training.card import table_text
from app.engine.training.development import METRIC
from app.engine.translation.data import Direction
from app.params import encode_hook
from app.params.translation import TrainTranslation

if TYPE_CHECKING:
    from app.engine.training.loop import TrainingResult

HIDDEN = ("name", "table", "corpora", "out", "checkpoint_every_s", "task")


class TrainedTranslation(NamedTuple):
    """A trained model.

    Attributes:
        n_pairs: pairs of each direction, including copies.
    """

    config: BridgeConfig
    trained: "TrainingResult"
    n_pairs: dict[Direction, int]
    n_parameters: int
    device: str
    precision: str


def write_card(
    trained: TrainedTranslation, hashes: Mapping[str, str], params: TrainTranslation
) -> str:
    """Write a model card: description, data with hashes, directions, settings.

    Args:
        hashes: SHA-256 in hex of the data by file name.
    """
    config, result = trained.config, trained.trained
    settings = msgspec.to_builtins(params, enc_hook=encode_hook)
    rows = [
        (n, v) for n, v in settings.items() if n not in HIDDEN and v not in ("", [])
    ]
    machine = {
        **versions(),
        "device": trained.device,
        "precision": trained.precision,
    }
    losses = {
        name.removeprefix("dev.loss."): round(value, 3)
        for name, value in result.measured.items()
        if name != METRIC and name.startswith("dev.loss.")
    }
    directions = [
        (f"{s} → {t}", n, losses.get(f"{s}-{t}", ""))
        for (s, t), n in trained.n_pairs.items()
    ]
    sections = [
        f"# {config.name}",
        f"{config.description} Trained with Isogloss for {result.n_steps:,} steps; the "
        f"weights are those of step {result.kept_step:,}.",
        "## Data",
        table_text(("file", "SHA-256"), [(n, f"`{h}`") for n, h in hashes.items()]),
        table_text(("direction", "pairs", "development loss per piece"), directions),
        "## Settings",
        table_text(("setting", "value"), rows),
        "## Versions",
        table_text(("", "value"), [*machine.items()]),
    ]
    return "\n\n".join(sections) + "\n"
