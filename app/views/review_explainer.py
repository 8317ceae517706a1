"""Explanations of scores: asked when a pair is looked at, and for the next one too."""

from collections import OrderedDict
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.errors import ErrorInfo
from app.pair_questions import ExplainQuery
from app.views.state import AppState

ASK_AFTER_MS = 60  # on one pair
N_KEPT = 64
K = 4  # neighbours, unless the set of pairs was made with another number
MAX_K = 8

Explanation = dict[str, Any]


class Explainer(QObject):
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
        """Give what is known of a pair."""
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
