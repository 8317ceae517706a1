"""Task: train an encoder further on the user's own pairs."""

from typing import TYPE_CHECKING

from app.engine.encoders.configs import architecture_of
from app.engine.encoders.folder import read_config
from app.engine.encoders.new_config import TrainableConfig
from app.engine.encoders.registry import find_encoder
from app.engine.runtime.report import Report
from app.engine.tasks.train_encoder import TrainEncoderResult, train_encoder
from app.errors import UserError
from app.params.training.encoder import TrainEncoder
from app.params.training.fine_tuning import FineTuneEncoder

if TYPE_CHECKING:
    from app.engine.project.project import Project

NOT_SIZES = {"name", "precision", "languages"}  # config fields that are not sizes


def fine_tune_encoder(
    project: "Project | None", params: FineTuneEncoder, report: Report
) -> TrainEncoderResult:
    """Train an encoder further; see `train_encoder`.

    Raises:
        UserError: the data do not fit the settings, or the encoder can't be trained.
        Paused: the user paused the run; the same command resumes it.
    """
    return train_encoder(project, complete_settings(project, params), report)


def complete_settings(
    project: "Project | None", params: FineTuneEncoder
) -> TrainEncoder:
    """Return the settings of the training, with the initial encoder's sizes.

    Raises:
        UserError: the encoder was imported, so it can't be trained.
    """
    folder = find_encoder(params.initial, None if project is None else project.folder)
    config = read_config(folder)
    if not isinstance(config, TrainableConfig) or getattr(config, "is_laser", False):
        raise UserError(
            f"{config.name} was imported or made of several encoders, so it can't be "
            "trained. Choose a bundled encoder or one trained with Isogloss."
        )
    fields = set(TrainEncoder.__struct_fields__)
    sizes = {
        name: getattr(config, name)
        for name in config.__struct_fields__
        if name in fields - NOT_SIZES
    }
    values = {name: getattr(params, name) for name in fields} | sizes
    return TrainEncoder(
        **values
        | {
            "initial": params.initial or folder.name,
            "architecture": architecture_of(config),
            "storage": config.precision,
            "end_mark": getattr(config, "has_end_mark", False),
            "vocabulary": None,
        }
    )
