"""The review session: the current pair, its explanation and the verdict counts."""

from collections import OrderedDict
from functools import partial
from typing import Any

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal
from sqlalchemy import Engine

from app.engine.store.pairs.history import read_judged_steps
from app.engine.store.pairs.sets import PairSetRow
from app.errors import ErrorInfo
from app.protocol.edits.pairs import JudgePairs, PairChange
from app.protocol.queries.pairs import ExplainQuery
from app.views.client.state import AppState
from app.views.review.outbox import JudgementOutbox
from app.views.review.pairs import PairCache, ShownPair, with_pending
from app.views.review.queue import QueueSettings, ReviewQueue, read_queue_settings

ASK_AFTER_MS = 60  # on one pair
N_KEPT = 64
DEFAULT_K = 4  # neighbours, unless the set of pairs was made with another number
MAX_K = 8

Explanation = dict[str, Any]


class ScoreExplainer(QObject):
    """Asks one thing at a time; whoever leafs quickly asks nothing."""

    known = Signal(object)  # id of a pair whose explanation, or refusal, is there

    def __init__(self, state: AppState, parent: QObject | None = None):
        super().__init__(parent)
        self._state = state
        self._known: OrderedDict[int, Explanation | ErrorInfo] = OrderedDict()
        self._wanted: list[tuple[int, int]] = []  # pair, k; the one looked at first
        self._asked: int | None = None
        self._timer = QTimer(self, singleShot=True, interval=ASK_AFTER_MS)
        self._timer.timeout.connect(self._ask)

    def get(self, pair_id: int) -> Explanation | ErrorInfo | None:
        """Return what is known of a pair."""
        return self._known.get(pair_id)

    def want(self, pairs: list[int], k: int) -> None:
        """Ask about pairs, the one that is looked at first."""
        k = min(max(k, 1), MAX_K)
        self._wanted = [(pair, k) for pair in pairs if pair not in self._known]
        if self._wanted:
            self._timer.start()
        else:
            self._timer.stop()

    def forget(self, pair_id: int | None = None) -> None:
        """Ask about a pair again when it is wanted; None: about every one."""
        if pair_id is None:
            self._known.clear()
            self._wanted, self._asked = [], None
            self._timer.stop()
        else:
            self._known.pop(pair_id, None)

    def _ask(self) -> None:
        if self._asked is not None or not self._wanted:
            return
        if not self._state.client.is_running:  # it is not started for this
            return
        pair, k = self._wanted.pop(0)
        self._asked = pair
        query = ExplainQuery(pair=pair, k=k)
        self._state.ask(query, partial(self._on_answer, pair))

    def _on_answer(self, pair: int, answer: dict[str, Any] | ErrorInfo) -> None:
        if self._asked == pair:
            self._asked = None
        is_error = isinstance(answer, ErrorInfo)
        if isinstance(answer, ErrorInfo) and answer.kind in ("superseded", "crash"):
            return
        self._known[pair] = answer
        while len(self._known) > N_KEPT:
            self._known.popitem(last=False)
        self.known.emit(pair)
        if not is_error:
            self._ask()


class VerdictCounts:
    """Counts by verdict; the engine's are taken whenever the queue is loaded."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def begin(self, counts: dict[str, int]) -> None:
        """Take counts over."""
        self.counts = dict(counts)

    def move(self, old: str, new: str) -> None:
        """Count a pair whose verdict is another now."""
        if old != new and self.counts:
            self.counts[old] = max(self.counts.get(old, 0) - 1, 0)
            self.counts[new] = self.counts.get(new, 0) + 1

    def follow(self, store: Engine, pair_id: int) -> None:
        """Count the newest step, if it is of this pair alone: somebody undid one."""
        for step in read_judged_steps(store, limit=1):
            if step.row.pair_id == pair_id and step.n == 1:
                before = step.before.verdict if step.before is not None else ""
                self.move(before, step.row.verdict)


N_BEHIND, N_AHEAD, N_LEAST = 2, 12, 4  # pairs that are read around the place
SYNC_MS = 20  # changes of one step come together
N_BEFORE_REORDER = 20  # judgements, then the most telling pairs are others


class ReviewSession(QObject):
    """Everything of the review that is no widget.

    Attributes:
        queue: ids in order, and the place.
        outbox: what is not saved yet.
        explainer: why pairs have their scores.
        tally: how many pairs have which verdict.
    """

    pair_changed = Signal()  # another pair, or the same looks different
    counts_changed = Signal()
    mining_changed = Signal()  # another set of pairs
    judged = Signal()  # a judgement was made, by whomever
    changed_elsewhere = Signal(object)  # id of another pair: somebody undid a judgement
    failed = Signal(object)  # ErrorInfo: there is no queue

    def __init__(self, state: AppState, parent: QObject | None = None):
        super().__init__(parent)
        self.state = state
        self.queue = ReviewQueue(state, self)
        self.outbox = JudgementOutbox(state, self)
        self.explainer = ScoreExplainer(state, self)
        self.tally = VerdictCounts()
        self._shelf = PairCache()
        self._n_saved = 0  # since the queue was put in order
        self._ahead = QTimer(self, singleShot=True, interval=0)
        self._ahead.timeout.connect(self._read_ahead)
        self._elsewhere: dict[int, None] = {}  # pairs that were judged, but not here
        self._following = QTimer(self, singleShot=True, interval=SYNC_MS)
        self._following.timeout.connect(self._follow)
        self.queue.loaded.connect(self._on_loaded)
        self.queue.moved.connect(self._on_moved)
        self.queue.failed.connect(self.failed)
        self.outbox.saved.connect(self._on_saved)
        self.outbox.refused.connect(self._on_refused)
        state.row_changed.connect(self._on_row_changed)
        state.minings_changed.connect(self._on_minings_changed)
        state.corpora_changed.connect(self._on_corpora_changed)

    @property
    def mining(self) -> PairSetRow | None:
        """The set of pairs under review; None where there is none."""
        return self.find_mining(self.queue.mining)

    @property
    def shown(self) -> ShownPair | None:
        """The pair under judgement as it will be once everything is saved."""
        project, pair_id = self.state.project, self.queue.current
        if project is None or pair_id is None or self.mining is None:
            return None
        pair = self._shelf.get(project.store, self._names(), pair_id)
        if pair is None:
            return None
        return with_pending(pair, self.outbox.pending(pair_id))

    def find_mining(self, mining_id: int | None) -> PairSetRow | None:
        """Find a set of pairs by its id."""
        project = self.state.project
        rows = project.minings if project is not None else []
        return next((row for row in rows if row.id == mining_id), None)

    def begin(self) -> None:
        """Take the newest set of pairs, if there is one."""
        project = self.state.project
        if project is not None and project.minings:
            self.load(project.minings[0].id, QueueSettings())
        else:
            self.queue.empty()
            self.mining_changed.emit()

    def load(
        self,
        mining_id: int,
        choice: QueueSettings,
        *,
        place: int = 0,
        pair: int | None = None,
    ) -> None:
        """Load a queue of a set of pairs, and go to a place or a pair in it."""
        is_other = mining_id != self.queue.mining
        self.queue.load(mining_id, choice, place=place, pair=pair)
        self._n_saved = 0
        if is_other:
            self._shelf.forget()
            self.explainer.forget()
            self.tally.begin({})
        self.mining_changed.emit()
        self.pair_changed.emit()

    def reload(self) -> None:
        """Read everything again; the pair stays."""
        self._shelf.forget()
        self.queue.reload()

    def go_to(self, pair_id: int) -> None:
        """Go to a pair of this set, also to one that is not in the queue."""
        if not self.queue.go_to(pair_id):
            self.queue.put_first(pair_id)

    def send(self, change: PairChange) -> None:
        """Send what is said of the pair under judgement, and count it."""
        pair = self.shown
        verdict = change.verdict if isinstance(change, JudgePairs) else None
        if pair is not None and verdict is not None:
            self.tally.move(pair.verdict, verdict)
        self.outbox.send(change)
        self.counts_changed.emit()

    def save_state(self) -> dict[str, Any]:
        """Give the set of pairs, the queue, the place in it, and what is not saved."""
        mining, queue = self.mining, self.queue
        return {
            "mining": queue.mining,
            "choice": msgspec.to_builtins(queue.choice),
            "pair": queue.current,
            "place": queue.place,
            "unsaved": self.outbox.to_json(),
            "summary": mining.name if mining is not None else "",
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Go back to the pair, and send what could not be saved."""
        self.outbox.take_back(state.get("unsaved") or ())
        mining, pair, place = (state.get(name) for name in ("mining", "pair", "place"))
        if isinstance(mining, int) and self.find_mining(mining) is not None:
            self.load(
                mining,
                read_queue_settings(state.get("choice")),
                place=place if isinstance(place, int) else 0,
                pair=pair if isinstance(pair, int) else None,
            )

    # --- private ---

    def _names(self) -> dict[int, str]:
        project = self.state.project
        return {row.id: row.name for row in project.corpora} if project else {}

    def _read_ahead(self) -> None:
        """Read the pairs around the place, once only few are left, and explain."""
        project, mining = self.state.project, self.mining
        if project is None or mining is None:
            return
        near = self.queue.around(0, N_LEAST)  # what was judged is read when wanted
        if any(not self._shelf.has(id_) for id_ in near):
            around = self.queue.around(N_BEHIND, N_AHEAD)
            self._shelf.fetch(project.store, self._names(), around)
        self.explainer.want(self.queue.around(0, 1), mining.k)

    def _on_moved(self) -> None:
        self.pair_changed.emit()
        self._ahead.start()

    def _on_loaded(self) -> None:
        self.tally.begin(self.queue.counts)
        self.counts_changed.emit()
        self._on_moved()

    def _on_row_changed(self, kind: str, row_id: int) -> None:
        if kind == "pair":
            self._on_pair_changed(row_id)
        elif kind == "judgements":
            self._shelf.forget()
            if row_id == self.queue.mining:
                self.queue.reload()
        if kind in ("pair", "judgements"):
            self.judged.emit()

    def _on_pair_changed(self, pair_id: int) -> None:
        """Read a pair again; a change that was not made here is followed."""
        self._shelf.forget(pair_id)
        if not self.outbox.is_pending(pair_id):
            self.explainer.forget(pair_id)
            self._elsewhere[pair_id] = None
            self._following.start()

    def _follow(self) -> None:
        """Follow what was done elsewhere, as by an undo: to one pair, or to many."""
        pairs, self._elsewhere = list(self._elsewhere), {}
        if self.state.project is None:
            return
        if len(pairs) > 1:
            self.queue.reload()
            return
        self.tally.follow(self.state.project.store, pairs[0])
        self.counts_changed.emit()
        if pairs[0] == self.queue.current:
            self._on_moved()
        else:
            self.changed_elsewhere.emit(pairs[0])

    def _on_saved(self, change: PairChange) -> None:
        """Show the mark; put the most telling pairs in order anew now and then."""
        pairs = getattr(change, "pairs", None) or (getattr(change, "pair", None),)
        says_verdict = isinstance(change, JudgePairs) and change.verdict is not None
        if not says_verdict:
            for pair in pairs:
                self.explainer.forget(pair)
        if self.queue.current in pairs:
            self._on_moved()
        self._n_saved += 1
        if self.queue.choice.order == "value" and self._n_saved >= N_BEFORE_REORDER:
            self._n_saved = 0
            self.queue.reload()

    def _on_refused(self, _change: object) -> None:
        """Show what holds after all; the reason is in the window's bar."""
        self.reload()

    def _on_minings_changed(self) -> None:
        """Follow sets of pairs that came, went or were made again."""
        self._shelf.forget()
        if self.mining is None:
            self.begin()
        else:
            self.queue.reload()
            self.mining_changed.emit()

    def _on_corpora_changed(self) -> None:
        self._shelf.forget()
        self.pair_changed.emit()
