"""The page of the current pair: decision, texts, score and neighbours."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QFont,
    QHelpEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QToolTip, QWidget

from app.engine.store.pairs.history import has_opinions
from app.engine.store.pairs.sets import PairRow, PairSetRow
from app.engine.store.sentences import SentenceRow, read_sentences
from app.errors import ErrorInfo
from app.languages import is_right_to_left, language_name
from app.number_format import format_score
from app.protocol.answers.pairs import (
    MatchedWord,
    MatchedWords,
    PairExplanation,
    PairNeighbour,
)
from app.views.client.state import AppState
from app.views.review.drafts import TextDraft
from app.views.review.judgements import AnnotatorBar, DecisionLine
from app.views.review.pair_texts import MIN_TEXT_HEIGHT, PairTextView
from app.views.review.pairs import ShownPair
from app.views.review.score_line import ScoreLine
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import ElidedLabel, keep_room, make_label
from app.views.widgets.hit_card import paint_badge
from app.views.widgets.number_format import format_badge
from app.views.widgets.shortcut_row import ShortcutRow
from app.views.widgets.text_layout import TextStyle, draw_layout, lay_out_text
from app.views.widgets.theme import GRID, colours_of, scaled, score_colours
from app.views.widgets.token_strip import ScoredToken

ROW, BADGE, N_ROWS, NOTE_ROWS = 26, 46, 4, 2
MARGIN = 12  # left and right margins of the neighbours


class Neighbour(NamedTuple):
    """Cosine, text and language of a neighbour, and whether it is in the pair."""

    cosine: float
    text: str
    language: str
    is_own: bool


class NeighbourList(QFrame):
    """A card with a heading and a row for each neighbour.

    Attributes:
        mean: mean cosine, as text.
        rows: the neighbours.
    """

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setProperty("card", True)
        self._has_content = True
        self._heading = ElidedLabel("section")
        self.mean = make_label("", "secondary")
        self.rows = _NeighbourRows()
        head = make_row((self._heading, 1), self.mean)
        make_column(
            head,
            (self.rows, 1),
            parent=self,
            gap=4,
            margins=(MARGIN, GRID, MARGIN, GRID),
        )

    def show_heading(self, heading: str, mean: str) -> None:
        """Show the heading and the mean cosine."""
        self._heading.hint = mean
        self._heading.setText(heading)
        self.mean.setText(mean)
        self._show_mean_if_it_fits()

    def _show_mean_if_it_fits(self) -> None:
        """Show the mean next to the heading, or only in the tooltip if too wide."""
        inner = self.contentsRect().width() - 2 * MARGIN - GRID
        needed = self._heading.sizeHint().width() + self.mean.sizeHint().width()
        self.mean.setVisible(needed <= inner)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show or hide the mean, depending on the width."""
        super().resizeEvent(event)
        self._show_mean_if_it_fits()

    def set_place(self, n_rows: int, *, is_kept: bool) -> None:
        """Reserve the height of some rows for every pair, even if empty.

        This way, the widgets around it do not move between pairs.
        """
        if n_rows != self.rows.n_rows:
            self.rows.n_rows = n_rows
            self.rows.updateGeometry()
            self.updateGeometry()  # Qt does not ask the layout of a hidden widget
        keep_room(self, is_kept=is_kept)
        self.setVisible(is_kept and self._has_content)

    def clear(self) -> None:
        """Remove the rows until the neighbours are known."""
        self._show((), "")

    def show_neighbours(self, neighbours: Sequence[Neighbour], note: str = "") -> None:
        """Show neighbours, the nearest first, or a note; hide if both are empty."""
        self._has_content = bool(neighbours or note)
        self._show(neighbours, note)

    def _show(self, neighbours: Sequence[Neighbour], note: str) -> None:
        self.rows.show_rows(neighbours, note)
        self.setAccessibleName(
            f"{self._heading.text()}: "
            + "; ".join(f"{format_badge(one.cosine)} {one.text}" for one in neighbours)
        )


class _NeighbourRows(QWidget):
    """Paints the rows."""

    def __init__(self) -> None:
        super().__init__()
        self.neighbours: list[Neighbour] = []
        self._note, self.n_rows = "", N_ROWS
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_rows(self, neighbours: Sequence[Neighbour], note: str) -> None:
        self.neighbours, self._note = list(neighbours), note
        self.setToolTip(note)
        self.update()

    def _height(self) -> int:
        return scaled(ROW, self.font())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows that fit."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours, height = colours_of(self), self._height()
        if not self.neighbours:
            painter.setPen(QColor(colours.secondary))
            flags = Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
            painter.drawText(self.rect(), flags, self._note)
        for index, one in enumerate(self.neighbours[: max(self.height() // height, 1)]):
            row = QRectF(0, index * height, self.width(), height)
            self._paint_row(painter, row, one)
        painter.end()

    def _paint_row(self, painter: QPainter, row: QRectF, one: Neighbour) -> None:
        tokens = colours_of(self)
        small = QFont(self.font())
        small.setPixelSize(scaled(12, self.font()))
        badge = QRectF(0, row.top() + 3, scaled(BADGE, self.font()), row.height() - 6)
        colours = score_colours(tokens, one.cosine)
        paint_badge(painter, badge, colours, format_badge(one.cosine), small)
        font = QFont(self.font())
        font.setBold(one.is_own)
        mark = "◂ " if one.is_own else ""
        if is_right_to_left(one.language):
            mark = "▸ " if one.is_own else ""
        rect = row.adjusted(badge.width() + GRID, 0, 0, 0)
        layout, height = lay_out_text(
            mark + one.text,
            one.language,
            rect.width(),
            TextStyle(font, QColor(tokens.text)),
        )
        rect.setTop(rect.top() + (row.height() - height) / 2)
        draw_layout(painter, layout, rect, QColor(tokens.text))

    def event(self, event: QEvent) -> bool:
        """Show the full text under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self._show_tip(event.pos(), event.globalPos())
            return True
        return super().event(event)

    def _show_tip(self, place: QPoint, where: QPoint) -> None:
        row = place.y() // self._height()
        if 0 <= row < len(self.neighbours):
            QToolTip.showText(where, self.neighbours[row].text, self)

    def sizeHint(self) -> QSize:
        """Return the size of all rows."""
        return QSize(200, self.n_rows * self._height())

    def minimumSizeHint(self) -> QSize:
        """Return the size of at most two rows."""
        return QSize(120, min(2, self.n_rows) * self._height())


# Neighbours are shown only if the texts keep their minimum height plus this.
MIN_EXTRA_HEIGHT = 9 * GRID


class PairPage(QWidget):
    """Shows one pair at a time.

    Attributes:
        pair: the current pair.
        keys, edit_keys: the available shortcuts; the editors' shortcuts.
    """

    edited = Signal(str, str)  # source and target to save

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.pair: ShownPair | None = None
        self._state = state
        self._mining: PairSetRow | None = None
        self._room: int | None = None  # pixels that keep the parts above visible
        self._is_behind = False  # the editors show an older state of the pair
        self._near_rows = N_ROWS  # rows reserved for neighbours
        self._seen_rows: int | None = None  # maximum number of neighbours in the set
        self._has_near = False  # the neighbours have reserved space
        self._has_others = False  # other annotators judged pairs of the set
        self.decision = DecisionLine(self)
        self.annotators = AnnotatorBar(self)
        self.text_view = PairTextView(self)
        self.score = ScoreLine(self)
        self.source_neighbours, self.target_neighbours = (
            NeighbourList(self),
            NeighbourList(self),
        )
        self.keys, self.edit_keys = ShortcutRow(), ShortcutRow()
        self.edit_keys.set_keys(self.text_view.edit_keys)
        self.edit_keys.hide()
        self.text_view.editing_changed.connect(self._on_editing_changed)
        self.text_view.edited.connect(self.edited)
        near = self._near = make_row(
            (self.source_neighbours, 1), (self.target_neighbours, 1), gap=2 * GRID
        )
        make_column(
            self.decision,
            self.annotators,
            (self.text_view, 1),
            self.text_view.buttons,
            self.score,
            near,
            self.keys,
            self.edit_keys,
            parent=self,
            gap=GRID + 4,
        )

        QWidget.setTabOrder(self.text_view.source.editor, self.text_view.save_button)

    def set_keys(self, keys: Sequence[tuple[QAction, str]]) -> None:
        """Show shortcuts below the pair."""
        self.keys.set_keys(keys)

    def show_pair(
        self,
        pair: ShownPair,
        mining: PairSetRow,
        *,
        is_pending: bool,
        place: str,
        last_place: str,
        draft: TextDraft | None,
    ) -> None:
        """Show a pair of a pair set.

        Args:
            pair: the pair including unsaved changes.
            is_pending: whether a change to the pair is unsaved.
            place: position of the pair in the queue, as text.
            last_place: position of the last pair.
            draft: unsaved texts, with which the editors open.
        """
        before = self.pair
        if self._mining is None or self._mining.id != mining.id:
            self._near_rows, self._seen_rows = min(max(mining.k, 1), N_ROWS), None
            project = self._state.project
            self._has_others = project is not None and has_opinions(
                project.store, mining.id
            )
        elif (
            before is not None and before.id != pair.id and self._seen_rows is not None
        ):
            self._near_rows = self._seen_rows  # only between pairs, so nothing moves
        self.pair, self._mining = pair, mining
        self.decision.show_pair(
            pair, is_pending=is_pending, place=place, last_place=last_place
        )
        self.annotators.show_pair(pair, has_others=self._has_others)
        self.text_view.check_edited_pair(pair)
        if before is not None and _looks_unchanged(before, pair) and draft is None:
            return
        is_same = before is not None and before.id == pair.id
        self._is_behind = is_same and self.text_view.is_editing
        if self._is_behind:
            return
        self._show_texts(pair, mining)
        if draft is not None:
            self.text_view.begin_edit(draft)

    def _show_texts(self, pair: ShownPair, mining: PairSetRow) -> None:
        self.text_view.show_pair(pair)
        self.score.show_pair(pair, mining)
        self.show_explanation(None)

    def _on_editing_changed(self, is_editing: bool) -> None:
        """Update the shortcuts, and show changes made while the editors were open."""
        self.keys.setHidden(is_editing)
        self.edit_keys.setVisible(is_editing)
        if self._is_behind and self.pair is not None and self._mining is not None:
            self._is_behind = False
            self._show_texts(self.pair, self._mining)

    def show_explanation(self, known: PairExplanation | ErrorInfo | None) -> None:
        """Show the explanation of the pair's score; None: not known yet."""
        if self.pair is None or self._mining is None:
            return
        row, is_final = self.pair.score_row(known), known is not None
        self.score.show_score(
            row, self._mining, is_edited=self.pair.is_edited, is_final=is_final
        )
        self._show_headings(self.pair, row, self._mining)
        self._show_neighbours(self.pair, known)
        self._show_neighbours_if_they_fit()
        words = known.words if isinstance(known, PairExplanation) else None
        words = words or MatchedWords([], [])
        self.text_view.show_pieces(
            _score_words(self.pair.source.text, words.source),
            _score_words(self.pair.target.text, words.target),
        )

    def fit_into(self, room: int) -> None:
        """Limit the height: neighbours are hidden if the page would be higher."""
        self._room = room
        self._show_neighbours_if_they_fit()

    def _show_neighbours_if_they_fit(self) -> None:
        """Show the neighbours if they leave enough space for the pair."""
        layout, near = self.layout(), (self.source_neighbours, self.target_neighbours)
        if layout is None:
            return
        for one in near:
            one.set_place(self._near_rows, is_kept=self._has_near)
        height = scaled(MIN_TEXT_HEIGHT)
        extra = scaled(MIN_EXTRA_HEIGHT)
        least = layout.minimumHeightForWidth(self.width())
        least += height + extra - self.text_view.minimumHeight()
        more = max(one.minimumSizeHint().height() for one in near) + layout.spacing()
        least += 0 if self._has_near else more
        is_known = self._mining is not None and bool(self._mining.fingerprint)
        room = self.height() if self._room is None else self._room
        has_room = is_known and self._near_rows > 0 and least <= room
        self._has_near = has_room
        for one in near:
            one.set_place(self._near_rows, is_kept=has_room)
        # Shrink the neighbours first.
        self.text_view.setMinimumHeight(height + (extra if has_room else 0))

    def _show_headings(
        self, pair: ShownPair, row: PairRow | None, mining: PairSetRow
    ) -> None:
        mean_words = self.tr("mean cosine (k = {k}): {mean}")
        for near, side, mean in (
            (self.source_neighbours, pair.source, row.source_mean if row else 0.0),
            (self.target_neighbours, pair.target, row.target_mean if row else 0.0),
        ):
            words = self.tr("Nearest to the {language} sentence")
            if side.is_edited:
                words = self.tr("Nearest to the {language} sentence as imported")
            heading = words.format(language=language_name(side.language))
            text = mean_words.format(k=mining.k, mean=format_score(mean))
            near.show_heading(heading, text if mining.k and mean else "")

    def _show_neighbours(
        self, pair: ShownPair, known: PairExplanation | ErrorInfo | None
    ) -> None:
        """Show the neighbours of both sides, or why they are not known."""
        project = self._state.project
        if project is None or known is None:
            self.source_neighbours.clear()
            self.target_neighbours.clear()
            return
        if isinstance(known, ErrorInfo):
            self._seen_rows = max(self._seen_rows or 0, NOTE_ROWS)
            self.source_neighbours.show_neighbours((), known.message)
            self.target_neighbours.show_neighbours(())
            return
        lists = (known.source_neighbours, known.target_neighbours)
        is_single = len(pair.source.sentences) == len(pair.target.sentences) == 1
        if is_single:  # joined sentences have no neighbours, but the next pair may
            n_rows = min(max(map(len, lists)), N_ROWS)
            self._seen_rows = max(self._seen_rows or 0, n_rows)
        ids = [one.sentence for found in lists for one in found]
        rows = {row.id: row for row in read_sentences(project.store, ids) if row}
        for near, found, own in (
            (self.source_neighbours, lists[0], pair.target.sentences),
            (self.target_neighbours, lists[1], pair.source.sentences),
        ):
            near.show_neighbours(_make_neighbours(found, rows, own))

    def focus(self) -> None:
        """Set the focus on the pair."""
        self.text_view.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Finish an edit by a key, in the editors and on their buttons."""
        if not self.text_view.end_edit(event):
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show or hide the neighbours, depending on the height."""
        super().resizeEvent(event)
        bar_width = self.text_view.verticalScrollBar().sizeHint().width()
        self._near.setContentsMargins(0, 0, bar_width, 0)  # align with the texts
        self._show_neighbours_if_they_fit()


def _make_neighbours(
    found: Sequence[PairNeighbour], rows: dict[int, SentenceRow], own: Sequence[int]
) -> list[Neighbour]:
    return [
        Neighbour(one.cosine, row.text, row.language, row.id in own)
        for one in found
        if (row := rows.get(one.sentence)) is not None
    ]


def _score_words(text: str, words: Sequence[MatchedWord]) -> list[ScoredToken]:
    """Return the scored words of a text; empty if they belong to an older text.

    A word without a vector gets similarity 0.
    """
    if any(word.end > len(text) for word in words):
        return []
    tokens = [
        ScoredToken(text[word.start : word.end], word.similarity or 0) for word in words
    ]
    return [token for token in tokens if token.text.strip()]


def _looks_unchanged(before: ShownPair, now: ShownPair) -> bool:
    """Return whether texts, score and judgements are already shown."""
    return (
        before.id == now.id
        and before.source == now.source
        and before.target == now.target
        and before.is_conflict == now.is_conflict
        and before.opinions == now.opinions
    )
