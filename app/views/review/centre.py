"""The middle of the review view: it scrolls where its parts do not fit."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from app.views.review.header import QueueBar
from app.views.review.pair_page import PairPage
from app.views.widgets.boxes import make_column
from app.views.widgets.theme import GRID

GAP = GRID + 4
MARGINS = (3 * GRID, 2 * GRID, 2 * GRID, GRID + 4)


class ReviewCentre(QScrollArea):
    """Shows the header, the fields of the queue and the pair, or why there is none.

    The pair takes the height that is left. If it needs more, it takes the whole height,
    and the other parts are above it. (A scroll area of Qt would always ask for the
    preferred height.)
    """

    def __init__(
        self,
        heads: tuple[QWidget, ...],
        body: QWidget,
        page: PairPage,
        parent: QWidget | None = None,
    ):
        """Make it of the parts above the body, and the page of a pair in the body."""
        super().__init__(parent)
        self._heads, self._page = heads, page
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        content = QWidget()
        content.setObjectName("scrolled")
        make_column(*heads, (body, 1), parent=content, gap=GAP, margins=MARGINS)
        self.setWidget(content)
        content.installEventFilter(self)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)

    def show_pair(self) -> None:
        """Scroll to the pair, unless the keyboard is above it."""
        focused = self.window().focusWidget()
        if not any(head.isAncestorOf(focused) for head in self._heads if focused):
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def _fit(self) -> None:
        """Resize the content to the width, and to at least the height it needs."""
        content, layout = self.widget(), self._page.layout()
        if content is None or layout is None:
            return
        left, top, right, bottom = MARGINS
        width, height = self.viewport().width(), self.viewport().height()
        head_height = top
        for head in self._heads:
            if isinstance(head, QueueBar):
                head.fit_into(width - left - right, height)
            if not head.isHidden():
                head_height += head.heightForWidth(width - left - right) + GAP
        least = 0
        if not self._page.isHidden():
            self._page.fit_into(height - head_height - bottom)
            least = layout.minimumHeightForWidth(width - left - right) + bottom
        if head_height + least > height:
            height = head_height + max(least, height)
        content.resize(width, height)
        self.show_pair()

    def _on_focus_changed(self, _: QWidget | None, focused: QWidget | None) -> None:
        content = self.widget()
        if focused is not None and content is not None:
            if any(head.isAncestorOf(focused) for head in self._heads):
                self.ensureWidgetVisible(focused)
            elif content.isAncestorOf(focused):
                self.show_pair()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit when a part asks for another height."""
        if watched is self.widget() and event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def minimumSizeHint(self) -> QSize:
        """Never be narrower than the content."""
        content, bar = self.widget(), self.verticalScrollBar()
        width = content.minimumSizeHint().width() if content is not None else 0
        return QSize(width + bar.sizeHint().width(), 20 * GRID)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit into the new size."""
        super().resizeEvent(event)
        self._fit()
