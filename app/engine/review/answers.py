"""Answer the window's queries about the pairs under review."""

from typing import Any

from app.engine.review.agreement import measure_agreement
from app.engine.review.explanation import explain_pair
from app.engine.review.pair_columns import PairColumnCache, PairColumns
from app.engine.review.queue import order_pairs
from app.engine.review.threshold import estimate_threshold, read_judged
from app.engine.search.session import SearchSession
from app.engine.store.pairs.sets import PairSetRow, pair_set_of, read_pair_set
from app.errors import UserError
from app.protocol.base import reply
from app.protocol.queries.pairs import (
    AgreementQuery,
    ExplainQuery,
    QueueQuery,
    ThresholdQuery,
)

ReviewQuery = QueueQuery | ExplainQuery | ThresholdQuery | AgreementQuery


def answer_pair_query(desk: SearchSession, query: ReviewQuery) -> object:
    """Answer a short read about pairs.

    Raises:
        UserError: what the query names is not there.
    """
    match query:
        case QueueQuery():
            return reply(query, _answer_queue(desk, query))
        case ExplainQuery():
            mining = _mining(desk, pair_set_of(query.pair))
            return reply(query, explain_pair(desk, mining, query))
        case AgreementQuery():
            mining = _mining(desk, query.mining)
            return reply(query, measure_agreement(desk.project.store, mining.id))
        case ThresholdQuery():
            columns = _columns(desk, query.mining)
            is_blind = bool(columns.mining.report.get("is_blind"))
            judged = read_judged(columns)
            return reply(
                query, estimate_threshold(judged, query.precision, is_blind=is_blind)
            )


def _answer_queue(desk: SearchSession, query: QueueQuery) -> dict[str, Any]:
    queue = order_pairs(desk.project.store, _columns(desk, query.mining), query)
    return {
        "file": desk.share_array(queue.ids),
        "n": len(queue.ids),
        "n_by_verdict": queue.n_by_verdict,
    }


def _columns(desk: SearchSession, mining_id: int) -> PairColumns:
    cache = desk.cache(PairColumnCache, PairColumnCache)
    return cache.get(desk.project.store, _mining(desk, mining_id))


def _mining(desk: SearchSession, mining_id: int) -> PairSetRow:
    row = read_pair_set(desk.project.store, mining_id)
    if row is None or row.state not in ("ready", "deleted"):
        raise UserError("The set of pairs is not in the project any more.")
    return row
