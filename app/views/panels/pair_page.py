"""The pair under judgement: decision, texts, score, neighbours, keys."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.engine.store.pair_rows import MiningRow
from app.engine.store.rows import SentenceRow, read_sentences
from app.errors import ErrorInfo
from app.languages import language_name
from app.views.mining_words import format_score
from app.views.panels.opinions_bar import OpinionsBar
from app.views.review_explainer import Explanation
from app.views.review_pairs import ShownPair
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.decision_line import DecisionLine
from app.views.widgets.key_row import KeyRow
from app.views.widgets.neighbour_list import Neighbour, NeighbourList
from app.views.widgets.pair_sides import PairSides
from app.views.widgets.score_line import ScoreLine
from app.views.widgets.token_strip import Piece

ROOM = 11 * GRID  # that the texts have above their least where neighbours are shown


class PairPage(QWidget):
    """Shows one pair at a time.

    Attributes:
        pair: the one that is shown.
    """

    edited = Signal(str, str)  # source, target

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.pair: ShownPair | None = None
        self._state = state
        self._mining: MiningRow | None = None
        self.decision = DecisionLine()
        self.opinions = OpinionsBar()
        self.sides = PairSides()
        self.score = ScoreLine()
        self.source_near, self.target_near = NeighbourList(), NeighbourList()
        self.keys = KeyRow()
        self.sides.edited.connect(self.edited)
        near = QHBoxLayout()
        near.setSpacing(2 * GRID)
        near.addWidget(self.source_near, 1)
        near.addWidget(self.target_near, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID + 4)
        layout.addWidget(self.decision)
        layout.addWidget(self.opinions)
        layout.addWidget(self.sides, 1)
        layout.addWidget(self.score)
        layout.addLayout(near)
        layout.addWidget(self.keys)

    def set_keys(self, keys: Sequence[tuple[QAction, str]]) -> None:
        """Show these keys below the pair."""
        self.keys.set_keys(keys)

    def show_pair(
        self, pair: ShownPair, mining: MiningRow, *, is_pending: bool, place: str
    ) -> None:
        """Show a pair of a mining.

        Args:
            pair: as it will be once what is on its way is saved.
            mining: its set.
            is_pending: something about it is on its way.
            place: where it is in the queue, in words.
        """
        before = self.pair
        self.pair, self._mining = pair, mining
        self.decision.show_pair(pair, is_pending=is_pending, place=place)
        if before is not None and _looks_alike(before, pair):
            return
        self.opinions.show_pair(pair)
        if before is not None and before.id == pair.id and self.sides.is_editing:
            return
        self.sides.show_pair(pair)
        self.score.show_pair(pair, mining)
        self.show_explanation(None)

    def show_explanation(self, known: Explanation | ErrorInfo | None) -> None:
        """Show why the pair has its score; None: it is not known yet."""
        if self.pair is None or self._mining is None:
            return
        self._show_neighbours_if_roomy()
        self._show_headings(self.pair, self._mining)
        note = ""
        if isinstance(known, ErrorInfo):
            note = known.message
        if known is None or isinstance(known, ErrorInfo):
            for near in (self.source_near, self.target_near):
                near.show_neighbours((), note)
            self.sides.show_pieces((), ())
            return
        self._show_neighbours(self.pair, known)
        strip = known.get("strip") or {}
        self.sides.show_pieces(
            _pieces(self.pair.source.text, strip.get("source") or ()),
            _pieces(self.pair.target.text, strip.get("target") or ()),
        )

    def _show_neighbours_if_roomy(self) -> None:
        """Show the neighbours where they leave room for the pair."""
        layout, near = self.layout(), (self.source_near, self.target_near)
        if layout is None:
            return
        least = layout.minimumHeightForWidth(self.width()) + ROOM
        more = max(one.minimumSizeHint().height() for one in near) + layout.spacing()
        least += 0 if self.source_near.isVisibleTo(self) else more
        is_known = self._mining is not None and bool(self._mining.fingerprint)
        for one in near:
            one.setVisible(is_known and least <= self.height())

    def _show_headings(self, pair: ShownPair, mining: MiningRow) -> None:
        row = pair.texts.pair
        words = self.tr("Neighbours of the {language} sentence")
        mean_words = self.tr("mean of {k}: {mean}")
        for near, side, mean in (
            (self.source_near, pair.source, row.source_mean),
            (self.target_near, pair.target, row.target_mean),
        ):
            heading = words.format(language=language_name(side.language))
            said = mean_words.format(k=mining.k, mean=format_score(mean))
            near.show_heading(heading, said if mining.k and mean else "")

    def _show_neighbours(self, pair: ShownPair, known: Explanation) -> None:
        project = self._state.project
        if project is None:
            return
        lists = [known.get(f"{side}_neighbours") or [] for side in ("source", "target")]
        ids = [int(one["sentence"]) for found in lists for one in found]
        rows = {row.id: row for row in read_sentences(project.store, ids) if row}
        for near, found, own in (
            (self.source_near, lists[0], pair.target.sentences),
            (self.target_near, lists[1], pair.source.sentences),
        ):
            near.show_neighbours(_neighbours(found, rows, own))

    def focus(self) -> None:
        """Put the keyboard on the pair."""
        self.sides.setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep room for the pair."""
        super().resizeEvent(event)
        self._show_neighbours_if_roomy()


def _neighbours(
    found: Sequence[dict[str, Any]], rows: dict[int, SentenceRow], own: Sequence[int]
) -> list[Neighbour]:
    return [
        Neighbour(float(one["cosine"]), row.text, row.language, row.id in own)
        for one in found
        if (row := rows.get(int(one["sentence"]))) is not None
    ]


def _pieces(text: str, strip: Sequence[dict[str, Any]]) -> list[Piece]:
    """Give the pieces of a text; those of an older text than the one shown: none.

    A word without a vector, whose similarity is not known, is like nothing.
    """
    if any(int(one["end"]) > len(text) for one in strip):
        return []
    pieces = [
        Piece(text[int(one["start"]) : int(one["end"])], float(one["similarity"] or 0))
        for one in strip
    ]
    return [piece for piece in pieces if piece.text.strip()]


def _looks_alike(before: ShownPair, now: ShownPair) -> bool:
    """Tell whether texts, score and opinions are shown already."""
    return (
        before.id == now.id
        and before.source == now.source
        and before.target == now.target
        and before.is_conflict == now.is_conflict
        and before.opinions == now.opinions
    )
