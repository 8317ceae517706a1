"""Task: train a vocabulary of subwords or words on sentence pairs."""

from typing import TYPE_CHECKING

from app.engine.runtime.report import Report
from app.engine.training.vocabulary import TrainVocabularyResult, build_vocabulary
from app.errors import UserError
from app.params.training.encoder import TrainVocabulary

if TYPE_CHECKING:
    from app.engine.project.project import Project


def train_vocabulary(
    project: "Project | None", params: TrainVocabulary, report: Report
) -> TrainVocabularyResult:
    """Train a vocabulary and write its folder.

    Raises:
        UserError: there are no pairs, or `out` already contains a vocabulary.
    """
    if not params.pairs:
        raise UserError("Choose at least one pair file to train a vocabulary on.")
    return build_vocabulary(params.pairs, params, report)
