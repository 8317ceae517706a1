"""Task: measure retrieval error between two line-aligned files."""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from app.engine.encoders.checkpoint import load_encoder
from app.engine.encoders.kept_vectors import encode_kept
from app.engine.report import Report
from app.engine.training.files import read_lines
from app.engine.training.retrieval import RetrievalError, retrieval_error
from app.errors import UserError
from app.params.vectors import EvaluateRetrieval

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.project import Project


class EvaluateRetrievalResult(msgspec.Struct, frozen=True):
    """What was measured; rates 0…1.

    Attributes:
        n: pairs.
        error_source_to_target: share of sources whose nearest target is another's.
        error_target_to_source: the same the other way.
    """

    n: int
    error_source_to_target: float
    error_target_to_source: float


def evaluate_retrieval(
    project: "Project | None", params: EvaluateRetrieval, report: Report
) -> EvaluateRetrievalResult:
    """Encode both files and count how often the nearest line is the aligned one.

    Raises:
        UserError: a file cannot be read, or their line counts differ.
    """
    encoder = load_encoder(params.encoder, project.folder if project else None)
    error = measure_files(project, encoder, (params.source, params.target), report)
    return EvaluateRetrievalResult(
        error.n, error.source_to_target, error.target_to_source
    )


def measure_files(
    project: "Project | None",
    encoder: "Encoder",
    files: tuple[Path, Path],
    report: Report,
) -> RetrievalError:
    """Encode two aligned files and measure their retrieval.

    Raises:
        UserError: a file is empty, or their line counts differ.
    """
    source_vectors, target_vectors = (
        encode_kept(project, encoder, texts, report) for texts in read_aligned(*files)
    )
    return retrieval_error(source_vectors, target_vectors, report)


def read_aligned(source: Path, target: Path) -> tuple[list[str], list[str]]:
    """Read two files line by line.

    Raises:
        UserError: one is empty, or their line counts differ.
    """
    sources, targets = list(read_lines(source)), list(read_lines(target))
    if len(sources) != len(targets):
        raise UserError(
            f"{source} has {len(sources):,} lines, but {target} has "
            f"{len(targets):,}: they must be aligned line by line."
        )
    return sources, targets
