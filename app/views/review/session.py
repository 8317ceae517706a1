"""The review session: the current pair, its explanation and the verdict counts."""

from collections import OrderedDict
from functools import partial
from typing import Any

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal
from sqlalchemy import Engine

from app.engine.store.pairs.history import read_judged_steps
from app.engine.store.pairs.sets import (
    PairSetRow,
    pair_set_of,
    read_current_judgements,
)
from app.errors import ErrorInfo
from app.protocol.answers.pairs import PairExplanation
from app.protocol.edits.pairs import JudgePairs, JudgeRange, PairChange, SwapRunnerUp
from app.protocol.queries.pairs import ExplainQuery
from app.views.client.annotator import ensure_user_name
from app.views.client.state import AppState
from app.views.review.drafts import TextDrafts
from app.views.review.outbox import JudgementOutbox, changed_pairs
from app.views.review.pairs import PairCache, ShownPair, with_pending
from app.views.review.queue import QueueSettings, ReviewQueue, read_queue_settings

ASK_AFTER_MS = 60  # time on a pair
MAX_EXPLANATIONS = 64
MAX_K = 8  # neighbours


class ScoreExplainer(QObject):
    """Requests one explanation at a time, and none for pairs skipped quickly."""

    explained = Signal(object)  # id of a pair with a new explanation or error

    def __init__(self, state: AppState, parent: QObject | None = None):
        super().__init__(parent)
        self._state = state
        self._known: OrderedDict[int, PairExplanation | ErrorInfo] = OrderedDict()
        self._queue: list[int] = []  # pairs, the current one first
        self._k = 1
        self._asked: int | None = None
        self._timer = QTimer(self, singleShot=True, interval=ASK_AFTER_MS)
        self._timer.timeout.connect(self._ask)

    def get(self, pair_id: int) -> PairExplanation | ErrorInfo | None:
        """Return the explanation of a pair; None while unknown."""
        return self._known.get(pair_id)

    def request(self, pairs: list[int], k: int) -> None:
        """Request explanations with k neighbours, the current pair's first."""
        self._k = min(max(k, 1), MAX_K)
        self._queue = [pair for pair in pairs if pair not in self._known]
        if self._queue:
            self._timer.start()
        else:
            self._timer.stop()

    def discard(self, pair_id: int | None = None) -> None:
        """Discard the explanation of a pair, or all explanations if None."""
        if pair_id is None:
            self._known.clear()
            self._queue, self._asked = [], None
            self._timer.stop()
        else:
            self._known.pop(pair_id, None)

    def _ask(self) -> None:
        if self._asked is not None or not self._queue:
            return
        if not self._state.client.is_running:  # don't start the engine for this
            return
        pair = self._asked = self._queue.pop(0)
        query = ExplainQuery(pair=pair, k=self._k)
        self._state.ask(query, partial(self._on_answer, pair))

    def _on_answer(self, pair: int, answer: PairExplanation | ErrorInfo) -> None:
        if self._asked == pair:
            self._asked = None
        is_error = isinstance(answer, ErrorInfo)
        if isinstance(answer, ErrorInfo) and answer.kind in ("superseded", "crash"):
            return
        self._known[pair] = answer
        while len(self._known) > MAX_EXPLANATIONS:
            self._known.popitem(last=False)
        self.explained.emit(pair)
        if not is_error:
            self._ask()


class VerdictCounts:
    """Number of pairs by verdict, updated while judging."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def set_counts(self, counts: dict[str, int]) -> None:
        """Replace the counts after a queue is loaded."""
        self.counts = dict(counts)

    def move(self, old: str, new: str) -> None:
        """Update the counts after the verdict of a pair changes."""
        if old != new and self.counts:
            self.counts[old] = max(self.counts.get(old, 0) - 1, 0)
            self.counts[new] = self.counts.get(new, 0) + 1

    def follow(self, store: Engine, pairs: list[int]) -> bool:
        """Update the counts from the newest steps if each changed one pair (undo).

        Args:
            pairs: ids in the order of their changes.

        Returns:
            Whether the counts were updated.
        """
        steps = read_judged_steps(store, limit=len(pairs))[::-1]
        if [step.row.pair_id for step in steps if step.n == 1] != pairs:
            return False
        for step in steps:
            before = step.before.verdict if step.before is not None else ""
            self.move(before, step.row.verdict)
        return True


N_BEHIND, N_AHEAD, N_LEAST = 2, 12, 4  # pairs to read around the position
SYNC_MS = 20  # combines the changes of one step
N_BEFORE_REORDER = 20  # judgements until a new order is offered
N_LOOKED_AHEAD = 64  # verdicts read per batch


class ReviewSession(QObject):
    """The state of a review, without widgets.

    Attributes:
        queue: ordered ids and the current position.
        outbox: judgements that are not saved yet.
        drafts: edited texts that are not sent yet.
        explainer: explains the scores of pairs.
        verdict_counts: pairs by verdict.
    """

    pair_changed = Signal()  # another pair is current, or its data changed
    counts_changed = Signal()
    mining_changed = Signal()  # another pair set
    order_outdated = Signal(bool)  # whether a reload would show another order
    judged = Signal()  # here or elsewhere
    changed_elsewhere = Signal(object)  # id of another pair: a judgement was undone
    failed = Signal(object)  # ErrorInfo: the queue could not be loaded

    def __init__(self, state: AppState, parent: QObject | None = None):
        super().__init__(parent)
        self.state = state
        self.queue = ReviewQueue(state, self)
        self.outbox = JudgementOutbox(state, self)
        self.explainer = ScoreExplainer(state, self)
        self.verdict_counts = VerdictCounts()
        self.drafts = TextDrafts()
        self._cache = PairCache()
        self._n_saved = 0  # since the queue was ordered
        self._judged: dict[int, None] = {}  # pairs, the last judged at the end
        self._first_place = 0  # position after loading
        self._ahead = QTimer(self, singleShot=True, interval=0)
        self._ahead.timeout.connect(self._read_ahead)
        self._elsewhere: list[int] = []  # pairs judged elsewhere, in order
        self._following = QTimer(self, singleShot=True, interval=SYNC_MS)
        self._following.timeout.connect(self._follow)
        self.queue.loaded.connect(self._on_loaded)
        self.queue.moved.connect(self._on_moved)
        self.queue.failed.connect(self.failed)
        self.outbox.saved.connect(self._on_saved)
        self.outbox.refused.connect(self._on_refused)
        state.row_changed.connect(self._on_row_changed)
        state.minings_changed.connect(self._on_minings_changed)
        state.corpora_changed.connect(self._on_texts_changed)
        state.texts_changed.connect(self._on_texts_changed)

    @property
    def mining(self) -> PairSetRow | None:
        """The pair set under review, or None."""
        return self.find_mining(self.queue.mining)

    @property
    def shown(self) -> ShownPair | None:
        """The current pair including unsaved changes."""
        project, pair_id = self.state.project, self.queue.current
        if project is None or pair_id is None or self.mining is None:
            return None
        pair = self._cache.get(project.store, self._names(), pair_id)
        if pair is None:
            return None
        return with_pending(pair, self.outbox.pending(pair_id))

    @property
    def may_unlink(self) -> bool:
        """Whether a scored parallel text has rejected pairs, which may be linked."""
        is_scored = self.mining is not None and self.mining.kind == "scored"
        return is_scored and self.verdict_counts.counts.get("reject", 0) > 0

    def find_mining(self, mining_id: int | None) -> PairSetRow | None:
        """Find a pair set by its id."""
        rows = self.state.minings
        return next((row for row in rows if row.id == mining_id), None)

    def begin(self) -> None:
        """Load the newest pair set, if any."""
        project = self.state.project
        if project is not None and project.minings:
            self.load(project.minings[0].id, QueueSettings())
        else:
            self.queue.clear()
            self.mining_changed.emit()

    def load(
        self,
        mining_id: int,
        settings: QueueSettings,
        *,
        index: int = 0,
        pair: int | None = None,
        is_new: bool = False,
    ) -> None:
        """Load a queue of a pair set, and go to a position or a pair in it.

        A new queue ignores the position in the previous one.
        """
        is_other = mining_id != self.queue.mining
        if is_other or settings != self.queue.settings:
            self._judged.clear()
        self.queue.load(mining_id, settings, index=index, pair=pair, is_new=is_new)
        self._n_saved = 0
        if is_other:
            self._cache.discard()
            self.explainer.discard()
            self.verdict_counts.set_counts({})
        self.mining_changed.emit()
        self.pair_changed.emit()

    def load_current(self, settings: QueueSettings, *, pair: int | None = None) -> None:
        """Load the queue of the current pair set with new settings."""
        if self.queue.mining is not None and self.mining is not None:
            self.load(self.queue.mining, settings, pair=pair)

    def reload(self) -> None:
        """Reload all data; the current pair stays.

        Ordered by informativeness, the queue restarts at its first pair: otherwise a
        pair that moves before the current one would be skipped.
        """
        self._cache.discard()
        self.queue.reload(from_start=self.queue.settings.order == "value")

    def go_to(self, pair_id: int, *, lowest: float | None = None) -> None:
        """Go to a pair of this set, inserting it if it is not in the queue.

        A search that does not match the pair is cleared.

        Args:
            lowest: new minimum score of the queue, without a maximum; None: keep the
                bounds.
        """
        old = settings = self.queue.settings
        if lowest is not None and lowest != settings.lowest:
            settings = msgspec.structs.replace(settings, lowest=lowest, highest=None)
        if settings == old and self.queue.go_to(pair_id):
            return
        if settings.find and pair_id not in self.queue.ids:
            settings = msgspec.structs.replace(settings, find="")
        if settings != old and self.queue.mining is not None:
            self.queue.load(self.queue.mining, settings, pair=pair_id, is_inserted=True)
            self.mining_changed.emit()
        else:
            self.queue.insert(pair_id)

    def go_back(self) -> None:
        """Go to the previous pair.

        In a queue of unjudged pairs, going back beyond the first position inserts the
        pairs judged before, the last judged first.
        """
        queue = self.queue
        if queue.settings.which == "unjudged" and queue.place == self._first_place:
            left = [one for one in self._judged if one not in queue.ids]
            if left:
                queue.insert(left[-1])
                return
        queue.go_by(-1)

    def go_on(self) -> None:
        """Go to the next pair, or in an unjudged queue to the next unjudged pair."""
        if self.queue.settings.which == "unjudged":
            found = self._find_unjudged(self.queue.place + 1)
            self.queue.go(len(self.queue) if found is None else found)
        else:
            self.queue.go_by(1)

    def go_to_unjudged(self) -> bool:
        """Go to the next pair without a verdict, wrapping around at the end.

        Returns:
            Whether there is such a pair.
        """
        found = self._find_unjudged(self.queue.place + 1)
        if found is None:
            found = self._find_unjudged(0)
        if found is not None and found != self.queue.place:
            self.queue.go(found)
            return True
        return False

    def _find_unjudged(self, start: int) -> int | None:
        """Return the first row, starting at a row, without a verdict, or None."""
        project = self.state.project
        while project is not None and start < len(self.queue):
            ids = self.queue.ids[start : start + N_LOOKED_AHEAD].tolist()
            judged = read_current_judgements(project.store, ids)
            for n, id_ in enumerate(ids):
                verdict = judged[id_].verdict if id_ in judged else ""
                for change in self.outbox.pending(id_):
                    if isinstance(change, SwapRunnerUp):
                        verdict = ""
                    elif change.verdict is not None:
                        verdict = change.verdict
                if not verdict:
                    return start + n
            start += len(ids)
        return None

    def send(self, change: PairChange) -> None:
        """Send a change to the current pair, and update the counts."""
        if isinstance(change, JudgePairs | JudgeRange) and change.verdict:
            ensure_user_name(self.state)
        pair = self.shown
        verdict = change.verdict if isinstance(change, JudgePairs) else None
        if isinstance(change, SwapRunnerUp):
            verdict = ""
        if pair is not None and verdict is not None:
            self.verdict_counts.move(pair.verdict, verdict)
            self._judged.pop(pair.id, None)
            self._judged[pair.id] = None
        self.outbox.send(change)
        self.counts_changed.emit()

    def save_state(self) -> dict[str, Any]:
        """Return the pair set, queue, position and unsaved changes."""
        mining, queue = self.mining, self.queue
        return {
            "mining": queue.mining,
            "choice": msgspec.to_builtins(queue.settings),
            "pair": queue.current,
            "place": queue.place,
            "unsaved": self.outbox.to_json(),
            "drafts": self.drafts.to_json(),
            "summary": mining.name if mining is not None else "",
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the saved pair, and send unsaved changes."""
        self.drafts.restore(state.get("drafts"))
        for change in self.outbox.restore(state.get("unsaved") or ()):
            self.drafts.keep_edit(change)
        mining, pair, place = (state.get(name) for name in ("mining", "pair", "place"))
        if isinstance(mining, int) and self.find_mining(mining) is not None:
            self.load(
                mining,
                read_queue_settings(state.get("choice")),
                index=place if isinstance(place, int) else 0,
                pair=pair if isinstance(pair, int) else None,
            )

    # --- private ---

    def _names(self) -> dict[int, str]:
        project = self.state.project
        return {row.id: row.name for row in project.corpora} if project else {}

    def _read_ahead(self) -> None:
        """Read pairs around the position if few are cached; request explanations."""
        project, mining = self.state.project, self.mining
        if project is None or mining is None:
            return
        near = self.queue.around(0, N_LEAST)  # judged pairs are read on demand
        if any(not self._cache.has(id_) for id_ in near):
            around = self.queue.around(N_BEHIND, N_AHEAD)
            self._cache.load(project.store, self._names(), around)
        self.explainer.request(self.queue.around(0, 1), mining.k)

    def _on_moved(self) -> None:
        self.pair_changed.emit()
        self._ahead.start()

    def _refresh_queue(self) -> None:
        """Update the queue; a queue by informativeness only on request."""
        if self.queue.settings.order == "value" and self.queue.current is not None:
            self.order_outdated.emit(True)
            self.pair_changed.emit()
        else:
            self.queue.reload()

    def _on_loaded(self) -> None:
        self._n_saved = 0
        self._first_place = self.queue.place
        self.order_outdated.emit(False)
        self.verdict_counts.set_counts(self.queue.totals)
        self.counts_changed.emit()
        self._on_moved()

    def _on_row_changed(self, kind: str, row_id: int) -> None:
        if kind == "pair":
            self._on_pair_changed(row_id)
        elif kind == "judgements":
            self._cache.discard()
            if row_id == self.queue.mining:
                self._refresh_queue()
        if kind in ("pair", "judgements"):
            self.judged.emit()

    def _on_pair_changed(self, pair_id: int) -> None:
        """Reload a pair, and go to it if it was changed elsewhere."""
        self._cache.discard(pair_id)
        is_here = pair_set_of(pair_id) == self.queue.mining
        if is_here and not self.outbox.is_pending(pair_id):
            self.explainer.discard(pair_id)
            self._elsewhere.append(pair_id)
            self._following.start()

    def _follow(self) -> None:
        """Go to the last pair changed elsewhere, for example by several undos."""
        pairs, self._elsewhere = self._elsewhere, []
        if self.state.project is None:
            return
        if self.verdict_counts.follow(self.state.project.store, pairs):
            self.counts_changed.emit()
        elif len(set(pairs)) > 1:
            self._refresh_queue()
        if pairs[-1] == self.queue.current:
            self._on_moved()
        else:
            self.changed_elsewhere.emit(pairs[-1])

    def _on_saved(self, change: PairChange) -> None:
        """Show that a change is saved; periodically offer a new order of the queue."""
        pairs = changed_pairs(change)
        has_verdict = isinstance(change, JudgePairs) and change.verdict is not None
        if not has_verdict:
            for pair in pairs:
                self.explainer.discard(pair)
        if self.queue.current in pairs:
            self._on_moved()
        self._n_saved += 1
        if self.queue.settings.order == "value" and self._n_saved >= N_BEFORE_REORDER:
            self.order_outdated.emit(True)

    def _on_refused(self, change: PairChange) -> None:
        """Show the saved state, with refused texts as a draft."""
        self.drafts.keep_edit(msgspec.to_builtins(change))
        self._cache.discard()
        self.queue.reload()

    def _on_minings_changed(self) -> None:
        """Update after pair sets are added, deleted or restored."""
        self._cache.discard()
        if self.mining is None:
            self.begin()
        else:
            self._refresh_queue()
            self.mining_changed.emit()

    def _on_texts_changed(self) -> None:
        self._cache.discard()
        self.pair_changed.emit()
