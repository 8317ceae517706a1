"""Select the sentences whose meaning is similar to a text."""

from collections.abc import Sequence

import numpy as np
import torch

from app.arrays import FloatArray
from app.engine.search.nearest import (
    SCAN_ERROR,
    ScannedPart,
    exact_scores,
    nearest_sentences,
    scan_scores,
    select_rows,
)
from app.engine.search.session import OpenedVectors
from app.engine.subcorpora.context import StepContext
from app.engine.subcorpora.step_cache import Mask, NotEncodedError, SelectedRows
from app.errors import UserError
from app.params.query_steps import NearStep


def select_similar(
    context: StepContext, left: Sequence[SelectedRows], step: NearStep
) -> list[Mask]:
    """Select the nearest sentences of all corpora, or those with a minimum cosine.

    Raises:
        UserError: a corpus is not encoded, or the encoder knows nothing of the text.
    """
    encoder = context.session.encoder(context.encoder)
    query = context.session.query_of_text(step.text, encoder)
    if query.is_unknown:
        raise UserError(
            f"The encoder {encoder.name} knows no part of {step.text!r}. Choose other "
            "words."
        )
    opened = [
        context.session.open_corpus(part.corpus, encoder.fingerprint) for part in left
    ]
    both = list(zip(left, opened, strict=True))
    missing = [part.corpus for part, one in both if one is None and len(part.positions)]
    if missing:
        raise NotEncodedError(missing, encoder.name)
    parts = [_scan(part, one, query.vector) for part, one in both]
    if step.top is None:
        lowest = -1.0 if step.cosine is None else step.cosine
        return [_above_threshold(part, query.vector, lowest) for part in parts]
    hits = nearest_sentences(
        [one for one in parts if one is not None], query.vector, step.top
    )
    ids = hits.ids
    if step.cosine is not None:
        ids = ids[hits.scores >= step.cosine]
    return [np.isin(part.ids, ids) for part in left]


def _scan(
    part: SelectedRows, opened: OpenedVectors | None, query: FloatArray
) -> ScannedPart | None:
    """Score the remaining sentences of a corpus; None: none remain."""
    if opened is None:
        return None
    scanned = scan_scores(opened.vectors, query)
    return select_rows(scanned, torch.from_numpy(part.positions))


def _above_threshold(
    part: ScannedPart | None, query: FloatArray, lowest: float
) -> Mask:
    """Mark the rows with a minimum cosine, by exact score: bool (m,)."""
    if part is None or part.rows is None:
        return np.zeros(0, bool)
    rough = part.scores.float().cpu().numpy()
    mask: Mask = rough >= lowest - SCAN_ERROR
    mask &= np.isfinite(rough)
    rows = part.rows.cpu().numpy()[mask]
    mask[mask] = exact_scores(part.vectors.unit, rows, query) >= lowest
    return mask
