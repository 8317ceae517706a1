"""What is chosen in the corpora view: its name, its facts, what can be done."""

import time
from collections.abc import Sequence
from pathlib import PurePath

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.engine.store.rows import CorpusRow
from app.engine.store.subcorpus_rows import SubcorpusRow
from app.views.theme import GRID
from app.views.widgets.action_row import ActionRow
from app.views.widgets.controls import make_button
from app.views.widgets.corpus_list import Status, describe_size, status_text
from app.views.widgets.elided_label import ElidedLabel
from app.views.words import count_words, format_count


class CorpusHead(QWidget):
    """Heading, facts and buttons of the chosen corpora."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._name = ElidedLabel("heading")
        self._facts = ElidedLabel("secondary")
        self._buttons, self._part_buttons = ActionRow(), ActionRow()
        self._top = QHBoxLayout()
        self._top.setSpacing(GRID)
        self._top.addWidget(self._name, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(self._top)
        layout.addWidget(self._facts)
        layout.addWidget(self._buttons)
        layout.addWidget(self._part_buttons)
        self._part_buttons.hide()

    def set_actions(
        self, first: QAction, others: Sequence[tuple[QAction, str]]
    ) -> None:
        """Make buttons: of what should be done next, if it can be, and of the rest."""
        words = self.tr("Encode")
        self._first = make_button(
            words, first.statusTip(), first.trigger, kind="primary"
        )
        first.changed.connect(lambda: self._first.setVisible(first.isEnabled()))
        self._top.addWidget(self._first, 0, Qt.AlignmentFlag.AlignTop)
        self._first.setVisible(first.isEnabled())
        self._buttons.set_actions(others)

    def set_part_actions(self, actions: Sequence[tuple[QAction, str]]) -> None:
        """Make the buttons that stand there while a sub-corpus is shown."""
        self._part_buttons.set_actions(actions)

    def use_actions(self, *, is_part: bool) -> None:
        """Show the buttons of corpora, or those of a sub-corpus."""
        self._buttons.setHidden(is_part)
        self._part_buttons.setVisible(is_part)

    def show_part(self, part: SubcorpusRow) -> None:
        """Show a sub-corpus: its size, and the chain that chose it."""
        self._name.setText(part.name)
        one, many = self.tr("1 sentence"), self.tr("{n} sentences")
        n, steps = count_words(part.n_sentences, one, many), " → ".join(part.steps)
        self._facts.hint = "\n".join(part.steps)
        self._facts.setText(f"{n} · {steps}")

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
        if n_languages == 1:
            words = self.tr("{n} sentences in one language · {encoded} encoded")
        self._facts.hint = ""
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
        self._facts.hint = corpus.source
        self._facts.setText(
            " · ".join([describe_size(corpus), origin, status_text(status)])
        )
