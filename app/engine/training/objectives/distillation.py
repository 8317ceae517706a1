"""Distillation: say in every language what a teacher says in English."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from app.engine.report import Report
from app.engine.training.data.aligned import open_aligned
from app.engine.training.data.drawing import BatchDrawer
from app.engine.training.data.row_store import RowStore
from app.engine.training.data.teacher_vectors import (
    TeacherVectors,
    make_teacher_vectors,
)
from app.engine.training.objectives.contrast import SMALLEST_NORM
from app.engine.training.objectives.encoding import (
    Columns,
    encode_columns,
    take_columns,
)
from app.engine.training.objectives.objective import ObjectiveContext, ObjectiveLoss

if TYPE_CHECKING:
    from app.engine.encoders.neural import SentenceModule

FEW_KEPT = 0.999  # of the teacher's length; below it the user is told


class DistillationExamples(NamedTuple):
    """Pairs and what the teacher says of their English side.

    Attributes:
        columns: English sides, other sides.
        teacher_vectors: float16 (b, d), rows of length 1.
    """

    columns: Columns
    teacher_vectors: np.ndarray


class DistillationObjective:
    """Bring both sides of a pair to the teacher's vector of the English side.

    Reimers and Gurevych 2020, equation 1: the squared distances of both sides, summed,
    mean over the pairs. All vectors are of length 1 in it, teacher's and student's, for
    the cosine is what vectors are compared by everywhere here, and a loss of the raw
    ones would first of all teach a scale: so a distance is 2 - 2 cos. There is no head:
    the student's own space becomes the teacher's. A larger teacher is projected on as
    many principal axes as the student has dimensions; under a smaller teacher the
    student's further dimensions become 0.
    """

    name = "distillation"

    def __init__(
        self, context: ObjectiveContext, store: RowStore, teacher: TeacherVectors
    ):
        self.heads: nn.Module = nn.Module()
        self.n_examples = store.n_rows
        self.notes: tuple[str, ...] = store.notes
        self._context = context
        self._store = store
        self._teacher = teacher
        self._drawer = BatchDrawer(store.groups, store.n_tokens(), context.params)

    def prepare(self, step: int, module: "SentenceModule", report: Report) -> None:
        """Do nothing."""

    def draw(self, step: int) -> DistillationExamples:
        """Draw pairs."""
        pair_ids = self._drawer.draw()
        columns = [2 * pair_ids, 2 * pair_ids + 1]
        vectors = np.asarray(self._teacher.vectors[self._teacher.rows[pair_ids]])
        return DistillationExamples(take_columns(self._store.tokens, columns), vectors)

    def loss(
        self, module: "SentenceModule", examples: DistillationExamples
    ) -> ObjectiveLoss:
        """Give the mean squared error and the mean cosine to the teacher."""
        device = self._context.device
        sources, targets = encode_columns(module, examples.columns, device)
        wanted = torch.from_numpy(examples.teacher_vectors).to(device).float()
        wanted = functional.pad(wanted, (0, self._context.dim - wanted.shape[1]))
        with torch.autocast(sources.device.type, enabled=False):
            distances = [
                (functional.normalize(side.float(), eps=SMALLEST_NORM) - wanted)
                .square()
                .sum(1)  # (b, d) -> (b,)
                for side in (sources, targets)
            ]
            loss = torch.stack(distances).sum(0).mean()  # (2, b) -> (b,) -> ()
        return ObjectiveLoss(
            loss,
            {"cosine": 1 - float(loss.detach()) / 4},
            examples.columns.n_sentences,
            examples.columns.n_tokens,
        )

    def state(self) -> dict[str, Tensor]:
        """Give the counters of the drawing."""
        return self._drawer.state()

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Go on from counters."""
        self._drawer.restore(tensors)


def make_distillation(
    context: ObjectiveContext, report: Report
) -> DistillationObjective:
    """Make the objective on the context's aligned files and the params' teacher.

    Raises:
        UserError: there is no such teacher, or fewer than two pairs are left.
    """
    from app.engine.encoders.checkpoint import load_encoder

    store = open_aligned(context, report)
    name = context.params.teacher
    teacher = load_encoder(name, context.project_folder, device=context.device)
    vectors = make_teacher_vectors(context.folder, store, teacher, context.dim, report)
    objective = DistillationObjective(context, store, vectors)
    if vectors.kept_share < FEW_KEPT:
        objective.notes += (
            f"The teacher's {teacher.dim} dimensions were reduced to {context.dim}, "
            f"which keep {vectors.kept_share:.1%} of its vectors' squared length.",
        )
    return objective
