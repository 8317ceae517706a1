"""What is chosen in the corpora view: its name, its facts, what can be done."""

import time
from collections.abc import Sequence
from pathlib import PurePath

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.engine.store.rows import CorpusRow
from app.views.theme import GRID
from app.views.widgets.controls import make_button, make_label, restyle
from app.views.widgets.corpus_list import Status, describe_size, status_text
from app.views.words import format_count


class CorpusHead(QWidget):
    """Heading, facts and buttons of the chosen corpora."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._name = make_label("", "heading")
        self._facts = make_label("", "secondary", wraps=True)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(4)
        self._made: dict[QAction, QPushButton] = {}
        top = QHBoxLayout()
        top.setSpacing(GRID)
        top.addWidget(self._name, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(top)
        layout.addWidget(self._facts)
        layout.addLayout(self._buttons)

    def set_actions(self, actions: Sequence[tuple[QAction, str]]) -> None:
        """Make a button of each action, with its short name; then the rest is empty."""
        for action, words in actions:
            button = make_button(
                words, action.statusTip(), action.trigger, kind="quiet"
            )
            action.changed.connect(
                lambda a=action, b=button: b.setEnabled(a.isEnabled())
            )
            button.setEnabled(action.isEnabled())
            self._made[action] = button
            self._buttons.addWidget(button)
        self._buttons.addStretch(1)

    def stress(self, action: QAction, is_stressed: bool) -> None:
        """Show an action as what should be done next, or as one of several."""
        button = self._made[action]
        restyle(button, "primary", is_stressed)
        restyle(button, "quiet", not is_stressed)

    def show_corpora(
        self, corpora: Sequence[CorpusRow], statuses: Sequence[Status]
    ) -> None:
        """Show one corpus with its facts, or how many are chosen."""
        if len(corpora) == 1:
            self._show_one(corpora[0], statuses[0])
            return
        words = self.tr("{n} corpora")
        self._name.setText(words.format(n=format_count(len(corpora))))
        total = sum(corpus.n_sentences for corpus in corpora)
        n_languages = len({corpus.language for corpus in corpora})
        words = self.tr("{n} sentences in {languages} languages · {encoded} encoded")
        self._facts.setText(
            words.format(
                n=format_count(total),
                languages=n_languages,
                encoded=sum(status == "encoded" for status in statuses),
            )
        )

    def _show_one(self, corpus: CorpusRow, status: Status) -> None:
        self._name.setText(corpus.name)
        day = time.strftime("%Y-%m-%d", time.localtime(corpus.created_at))
        origin = self.tr("imported {day}").format(day=day)
        if corpus.source:
            words = self.tr("imported {day} from {file}")
            origin = words.format(day=day, file=PurePath(corpus.source).name)
        self._facts.setText(
            " · ".join([describe_size(corpus), origin, status_text(status)])
        )
        self._facts.setToolTip(corpus.source)
