"""Page of languages added to an encoder."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.results.alignment import read_curves
from app.views.client.state import AppState
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import make_action_button
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.theme import GRID

if TYPE_CHECKING:
    from app.views.encoders.language_curves import LanguageCurves


class AddedLanguagesPage(QWidget):
    """Shows curves of the added languages, or how to add a language.

    Attributes:
        curves: the curves; None before the first encoder with an added language.
    """

    def __init__(self, state: AppState, add: QAction, parent: QWidget | None = None):
        """Initialise; `add` is the action that adds a language."""
        super().__init__(parent)
        self._state = state
        self.curves: LanguageCurves | None = None
        self._empty = EmptyState(
            self.tr("No added languages"),
            self.tr(
                "No language was added to this encoder. Train one on translations of "
                "English sentences, in the same vector space."
            ),
            [make_action_button(add)],
            icon="encoders",
        )
        self._pages = QStackedWidget()
        self._pages.addWidget(self._empty)
        make_column((self._pages, 1), parent=self, margins=(0, GRID, 0, 0))

    @property
    def summary(self) -> str:
        """The text about the current language, or that there is none."""
        if self.curves is not None and self._pages.currentWidget() is self.curves:
            return self.curves.summary
        return self._empty.words[1]

    def show_folder(self, folder: Path) -> None:
        """Show the languages added to the encoder in a folder."""
        curves = read_curves(folder)
        if not curves:
            self._pages.setCurrentWidget(self._empty)
            return
        if self.curves is None:
            # Charts are slow to import and create, and most encoders need none.
            from app.views.encoders.language_curves import LanguageCurves

            self.curves = LanguageCurves(self._state, self._pages)
            self._pages.addWidget(self.curves)
        self.curves.show_curves(curves)
        self._pages.setCurrentWidget(self.curves)
