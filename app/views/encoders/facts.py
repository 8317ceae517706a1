"""The facts of an encoder: languages, licence, origin, size and hash."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from app.engine.store.corpora import CorpusRow, EmbeddingRow
from app.languages import language_name
from app.views.client.encoders import Coverage, EncoderInfo
from app.views.widgets.controls import ElidedLabel, make_label
from app.views.widgets.number_format import (
    describe_device,
    format_bytes,
    format_count,
    format_throughput,
)
from app.views.widgets.theme import GRID

N_COLUMNS, N_NAMED = 2, 60


class EncoderFacts(QFrame):
    """A card with what is known of an encoder."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setProperty("card", True)
        self._values: dict[str, ElidedLabel] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(2 * GRID, GRID + 4, 2 * GRID, GRID + 4)
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(6)
        for number, (key, title) in enumerate(self._titles().items()):
            row, column = divmod(number, N_COLUMNS)
            grid.addWidget(make_label(title, "secondary"), row, 2 * column)
            value = ElidedLabel()
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(value, row, 2 * column + 1)
            grid.setColumnStretch(2 * column + 1, 1)
            self._values[key] = value
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        fixed.setPixelSize(self.font().pixelSize() - 1)
        self._values["hash"].setFont(fixed)

    def value(self, key: str) -> str:
        """Return what is said of one fact."""
        return self._values[key].text()

    def show_card(
        self,
        card: EncoderInfo,
        coverage: Coverage | None,
        vectors: tuple[Sequence[CorpusRow], Sequence[EmbeddingRow]],
    ) -> None:
        """Show an encoder's facts.

        Args:
            card: the encoder.
            coverage: what was measured with it.
            vectors: the corpora of the project, and all vectors of them.
        """
        names = sorted(language_name(code) for code in card.languages)
        unknown = self.tr("not known")
        values = {
            "languages": self._count_languages(names) or unknown,
            "speed": _describe_speed(card, coverage) or self.tr("not measured"),
            "licence": card.licence.strip().partition("\n")[0] or unknown,
            "vectors": self._describe_vectors(card, *vectors),
            "origin": card.origin or self.tr("trained with Isogloss"),
            "hash": card.fingerprint,
        }
        hints = {
            "languages": ", ".join(names[:N_NAMED]),
            "licence": card.licence[:2_000],
            "hash": self.tr("SHA-256 of weights and vocabulary."),
            "origin": card.source_sha256 and f"SHA-256 {card.source_sha256}",
        }
        for key, text in values.items():
            self._values[key].hint = hints.get(key, "")
            self._values[key].setText(text)

    def _titles(self) -> dict[str, str]:
        return {
            "languages": self.tr("Languages"),
            "vectors": self.tr("Vectors here"),
            "licence": self.tr("Licence"),
            "speed": self.tr("Speed here"),
            "origin": self.tr("Origin"),
            "hash": self.tr("SHA-256"),
        }

    def _count_languages(self, names: Sequence[str]) -> str:
        if len(names) > 3:
            return self.tr("{n}: {first} …").format(
                n=len(names), first=", ".join(names[:3])
            )
        return ", ".join(names)

    def _describe_vectors(
        self,
        card: EncoderInfo,
        corpora: Sequence[CorpusRow],
        embeddings: Sequence[EmbeddingRow],
    ) -> str:
        made = [row for row in embeddings if row.fingerprint == card.fingerprint]
        done = sum(row.n_done == row.n_rows for row in made)
        if not made:
            return self.tr("none")
        words = self.tr("{done} of {n} corpora, {size}")
        size = format_bytes(sum(map(vector_bytes, made)))
        return words.format(done=done, n=format_count(len(corpora)), size=size)


def vector_bytes(row: EmbeddingRow) -> int:
    """Give the size of vectors on the disk: float32 and float16 (n, d), float32 (n)."""
    return row.n_rows * (6 * row.dim + 4)


def _describe_speed(card: EncoderInfo, coverage: Coverage | None) -> str:
    """Return the rate that was measured on this machine, the newest first."""
    last = coverage.last if coverage is not None else None
    if last is not None and last.sentences_per_s:
        rate = format_throughput(last.sentences_per_s, "sentences")
        return f"{rate} ({describe_device(last.device)})"
    if card.sentences_per_s:
        return format_throughput(card.sentences_per_s, "sentences")
    return ""
