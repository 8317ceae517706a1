"""Score links that a user made, with the encoder of the alignment."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Connection, func, select, update

from app.arrays import FloatArray
from app.engine.numeric import normalise_rows
from app.engine.project.project import Project
from app.engine.store.pairs.sets import (
    PairSetRow,
    first_pair_id,
    pair_set_of,
    read_pair_set,
)
from app.engine.store.pairs.texts import PairTexts, read_pair_texts
from app.engine.store.schema import mining, pair
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

LoadEncoder = Callable[[str], "Encoder"]


def score_manual_links(
    project: Project, ids: Sequence[int], load_encoder: LoadEncoder
) -> list[int]:
    """Score those of some pairs that are manual links without a score.

    The means of a new link are the averages of the alignment's links, since the
    sentences that each was compared with are not stored. A link keeps no score if the
    encoder was removed.

    Args:
        project: open for writing.
        ids: changed pairs, of any kind.
        load_encoder: loads an encoder by name.

    Returns:
        The ids of the scored pairs.
    """
    unscored = _find_unscored(project, ids)
    if not unscored:
        return []
    row = read_pair_set(project.store, pair_set_of(unscored[0]))
    found = [one for one in read_pair_texts(project.store, unscored) if one is not None]
    if row is None or not found:
        return []
    try:
        encoder = load_encoder(row.encoder)
    except UserError:
        return []
    if encoder.fingerprint != row.fingerprint:
        return []
    _write(project, row, found, _cosines(encoder, found))
    return [one.pair.id for one in found]


def _find_unscored(project: Project, ids: Sequence[int]) -> list[int]:
    aligned = select(mining.c.id).where(mining.c.kind == "aligned")
    query = select(pair.c.id).where(
        pair.c.id.in_(ids), pair.c.cosine == 0, pair.c.n_source > 0, pair.c.n_target > 0
    )
    with project.store.connect() as connection:
        found = list(connection.scalars(query))
        known = set(connection.scalars(aligned)) if found else set()
    return [id_ for id_ in found if pair_set_of(id_) in known]


def _cosines(encoder: "Encoder", found: Sequence[PairTexts]) -> FloatArray:
    """Compare the joined sentences as imported: float32 (p,)."""
    texts = [side.imported for one in found for side in (one.source, one.target)]
    unit_vectors, _ = normalise_rows(encoder.encode(texts))
    cosines: FloatArray = np.einsum("pd,pd->p", unit_vectors[::2], unit_vectors[1::2])
    return cosines


def _write(
    project: Project, row: PairSetRow, found: Sequence[PairTexts], cosines: FloatArray
) -> None:
    with project.store.begin() as connection:
        means = _mean_of_means(connection, row.id)
        for one, cosine in zip(found, cosines.tolist(), strict=True):
            values = {
                "cosine": cosine,
                "source_mean": means[0],
                "target_mean": means[1],
                "score": cosine - sum(means) / 2,
            }
            statement = update(pair).where(pair.c.id == one.pair.id)
            connection.execute(statement.values(values))


def _mean_of_means(connection: Connection, mining_id: int) -> tuple[float, float]:
    low, high = first_pair_id(mining_id), first_pair_id(mining_id + 1)
    query = select(func.avg(pair.c.source_mean), func.avg(pair.c.target_mean)).where(
        pair.c.id >= low, pair.c.id < high, pair.c.cosine != 0
    )
    source, target = connection.execute(query).one()
    return float(source or 0), float(target or 0)
