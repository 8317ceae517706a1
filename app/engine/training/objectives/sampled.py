"""Base of the objectives whose only state is the state of a sampler."""

from typing import TYPE_CHECKING, Protocol, TypeVar

from torch import Tensor

from app.engine.runtime.report import Report
from app.engine.training.data.sampler import BatchRotation, BatchSampler

if TYPE_CHECKING:
    from app.engine.encoders.neural import SentenceModule

DrawerT = TypeVar("DrawerT", BatchSampler, BatchRotation)


class SampledObjective(Protocol[DrawerT]):
    """Base of objectives without preparation, whose state is a sampler's state."""

    _drawer: DrawerT

    def prepare(self, step: int, module: "SentenceModule", report: Report) -> None:
        """Do nothing."""
        return  # mypy treats a body without a statement as abstract

    def state(self) -> dict[str, Tensor]:
        """Return the counters of the sampler."""
        return self._drawer.state()

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restore counters."""
        self._drawer.restore(tensors)
