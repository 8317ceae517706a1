"""Answer the window's queries about the pairs under review."""

from app.engine.review.agreement import measure_agreement
from app.engine.review.explanation import explain_pair
from app.engine.review.pair_columns import PairColumnCache, PairColumns
from app.engine.review.queue import order_pairs
from app.engine.review.threshold import estimate_threshold, read_judged
from app.engine.search.session import SearchSession
from app.engine.store.pairs.sets import PairSetRow, pair_set_of, read_pair_set
from app.errors import UserError
from app.protocol.answers.pairs import QueueAnswer
from app.protocol.base import reply
from app.protocol.queries.pairs import (
    AgreementQuery,
    ExplainQuery,
    QueueQuery,
    ReviewQuery,
    ThresholdQuery,
)


def answer_pair_query(session: SearchSession, query: ReviewQuery) -> object:
    """Return the answer to a query about pairs.

    Raises:
        UserError: the pair or its set does not exist.
    """
    match query:
        case QueueQuery():
            return reply(query, _answer_queue(session, query))
        case ExplainQuery():
            mining = _mining(session, pair_set_of(query.pair))
            return reply(query, explain_pair(session, mining, query))
        case AgreementQuery():
            mining = _mining(session, query.mining)
            return reply(query, measure_agreement(session.project.store, mining.id))
        case ThresholdQuery():
            columns = _columns(session, query.mining)
            is_blind = bool(columns.mining.report.get("is_blind"))
            as_range = columns.verdicts().is_decided_as_range & columns.is_taken
            answer = estimate_threshold(
                read_judged(columns),
                query.precision,
                is_blind=is_blind,
                n_as_range=int(as_range.sum()),
            )
            return reply(query, answer)


def _answer_queue(session: SearchSession, query: QueueQuery) -> QueueAnswer:
    queue = order_pairs(session.project.store, _columns(session, query.mining), query)
    file = session.share_array(queue.ids)
    return QueueAnswer(file, len(queue.ids), queue.n_by_verdict, queue.n_in_set)


def _columns(session: SearchSession, mining_id: int) -> PairColumns:
    cache = session.cache(PairColumnCache, PairColumnCache)
    return cache.get(session.project.store, _mining(session, mining_id))


def _mining(session: SearchSession, mining_id: int) -> PairSetRow:
    row = read_pair_set(session.project.store, mining_id)
    if row is None or row.state not in ("ready", "deleted"):
        raise UserError("This pair set is not in the project any more.")
    return row
