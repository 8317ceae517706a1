"""The open project in three lines: its name, what it holds, how it is open."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.controls import make_label
from app.views.words import format_count


class ProjectPanel(QWidget):
    """Stands at the head of the navigation."""

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._name = make_label("", "heading", wraps=True)
        self._facts = make_label("", "secondary", wraps=True)
        self._warning = make_label(self.tr("Open for reading only"), "warning")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, GRID)
        layout.setSpacing(GRID // 2)
        for label in (self._name, self._facts, self._warning):
            layout.addWidget(label)
        for signal in (
            state.project_opened,
            state.project_closed,
            state.corpora_changed,
            state.embeddings_changed,
        ):
            signal.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Read the facts again."""
        project = self._state.project
        self._warning.setVisible(project is not None and project.is_read_only)
        if project is None:
            self._name.setText("Isogloss")
            self._facts.setText(self.tr("No project is open"))
            return
        languages = len({corpus.language for corpus in project.corpora})
        corpora = len(project.corpora)
        facts = (
            self._count(project.n_sentences, self.tr("sentence"), self.tr("sentences")),
            self._count(corpora, self.tr("corpus"), self.tr("corpora"))
            + " · "
            + self._count(languages, self.tr("language"), self.tr("languages")),
        )
        self._name.setText(project.name)
        self._name.setToolTip(str(project.folder))
        self._facts.setText("\n".join(facts))

    def _count(self, n: int, one: str, many: str) -> str:
        return f"{format_count(n)} {one if n == 1 else many}"
