"""Names that a new training can have."""

from app.engine.store.runs import list_run_names
from app.params import command_name
from app.params.training.encoder import TrainEncoder
from app.params.training.fine_tuning import FineTuneEncoder
from app.params.training.grid import TrainGrid
from app.params.translation import TrainTranslation, TrainTranslationGrid
from app.views.client.state import AppState

TRAINING_TASKS = (
    command_name(TrainEncoder),
    command_name(TrainGrid),
    command_name(TrainTranslation),
    command_name(FineTuneEncoder),
    command_name(TrainTranslationGrid),
)


def taken_names(state: AppState) -> set[str]:
    """Return the names of encoders and of trainings, also of deleted ones.

    The encoders of a comparison are named after it, with a number: depth 2 (Layers 3).
    """
    names = {card.name for card in state.encoders.cards}
    if state.project is not None:
        names |= list_run_names(state.project.store, TRAINING_TASKS)
    return names | {name.partition(" ")[0] for name in names}


def free_name(stem: str, taken: set[str]) -> str:
    """Number a name: comparison-1, comparison-2."""
    numbers = range(1, len(taken) + 2)
    return next(f"{stem}-{n}" for n in numbers if f"{stem}-{n}" not in taken)
