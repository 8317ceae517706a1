"""The search before its first question: sentences of the project to begin with."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget
from sqlalchemy import Engine

from app.engine.store import rows
from app.engine.store.hidden_rows import read_hidden
from app.views.theme import GRID
from app.views.widgets.controls import make_label
from app.views.widgets.hits import Hit
from app.views.widgets.sentence_card import SentenceCard

N_EXAMPLES, N_TRIED, N_COLUMNS = 12, 24, 2
SHORTEST, LONGEST = 18, 90  # characters of a good example; less in dense scripts
DENSE_SHORTEST = 8


class SearchStart(QWidget):
    """Says what can be done here, with one sentence of several languages."""

    chosen = Signal(object)  # Hit

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        heading = make_label(self.tr("Ask in one language, find in all"), "heading")
        text = make_label(
            self.tr(
                "Type a sentence above. The sentences nearest in meaning stand side by "
                "side, one column a language. Or begin with one of these:"
            ),
            "secondary",
            wraps=True,
        )
        self._grid = QGridLayout()
        self._grid.setSpacing(GRID + 4)
        self._cards: list[SentenceCard] = []
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4 * GRID, 6 * GRID, 0)
        layout.setSpacing(2 * GRID)
        layout.addWidget(heading)
        layout.addWidget(text)
        layout.addLayout(self._grid)
        layout.addStretch(1)

    def show_examples(self, store: Engine, corpora: Sequence[rows.CorpusRow]) -> None:
        """Offer a sentence of each of the first languages."""
        for card in self._cards:
            self._grid.removeWidget(card)
            card.deleteLater()
        self._cards = []
        for number, hit in enumerate(choose_examples(store, corpora)):
            card = SentenceCard(hit, self.tr("Find what is nearest to this sentence."))
            card.chosen.connect(self.chosen)
            row, column = divmod(number, N_COLUMNS)
            self._grid.addWidget(card, row, column)
            self._cards.append(card)


def choose_examples(store: Engine, corpora: Sequence[rows.CorpusRow]) -> list[Hit]:
    """Choose a sentence of middle length from a corpus of each language."""
    firsts: dict[str, rows.CorpusRow] = {}
    for corpus in corpora:
        firsts.setdefault(corpus.language, corpus)
    hits: list[Hit] = []
    for number, corpus in enumerate(firsts.values()):
        start = rows.first_id(corpus.id)
        ids = list(range(start, start + min(corpus.n_sentences, N_TRIED)))
        left_out = read_hidden(store, ids)
        read = rows.read_sentences(store, [id_ for id_ in ids if id_ not in left_out])
        sentences = [row for row in read if row]
        good = [row for row in sentences if _is_good(row.text)] or sentences
        if good:  # another place in each corpus, since corpora may be aligned
            hits.append(Hit(good[(5 * number) % len(good)], corpus.name))
        if len(hits) == N_EXAMPLES:
            break
    return hits


def _is_good(text: str) -> bool:
    shortest = SHORTEST if text.isascii() or " " in text else DENSE_SHORTEST
    return shortest <= len(text) <= LONGEST
