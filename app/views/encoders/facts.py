"""The facts of an encoder: languages, licence, origin, size and hash."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from app.engine.store.embeddings import EmbeddingRow
from app.languages import language_name
from app.protocol.answers.encoders import EncoderInfo
from app.views.client.encoders import Coverage
from app.views.encoders.selection import vector_bytes
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
    """A card with the facts of an encoder."""

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
        """Return the text of one fact."""
        return self._values[key].text()

    def show_encoder(
        self,
        encoder: EncoderInfo,
        coverage: Coverage | None,
        vectors: Sequence[EmbeddingRow],
        *,
        n_corpora: int,
    ) -> None:
        """Show an encoder's facts.

        Args:
            encoder: the encoder.
            coverage: its measurements; None if there are none.
            vectors: those of the project by the encoder.
            n_corpora: number of corpora in the project.
        """
        names = sorted(language_name(code) for code in encoder.languages)
        unknown = self.tr("unknown")
        values = {
            "languages": self._count_languages(names) or unknown,
            "speed": describe_speed(encoder, coverage) or self.tr("not measured"),
            "licence": encoder.licence.strip().partition("\n")[0] or unknown,
            "vectors": self._describe_vectors(vectors, n_corpora),
            "origin": encoder.origin or self.tr("trained with Isogloss"),
            "hash": encoder.fingerprint,
        }
        hints = {
            "languages": ", ".join(names[:N_NAMED]),
            "licence": encoder.licence[:2_000],
            "hash": self.tr("SHA-256 of weights and vocabulary."),
            "origin": encoder.source_sha256 and f"SHA-256 {encoder.source_sha256}",
        }
        for key, text in values.items():
            self._values[key].hint = hints.get(key, "")
            self._values[key].setText(text)

    def _titles(self) -> dict[str, str]:
        return {
            "languages": self.tr("Languages"),
            "vectors": self.tr("Vectors in this project"),
            "licence": self.tr("Licence"),
            "speed": self.tr("Speed on this machine"),
            "origin": self.tr("Origin"),
            "hash": self.tr("SHA-256"),
        }

    def _count_languages(self, names: Sequence[str]) -> str:
        if len(names) > 3:
            return self.tr("{n}: {first} …").format(
                n=len(names), first=", ".join(names[:3])
            )
        return ", ".join(names)

    def _describe_vectors(self, vectors: Sequence[EmbeddingRow], n_corpora: int) -> str:
        done = sum(row.n_done == row.n_rows for row in vectors)
        if not vectors:
            return self.tr("none")
        words = self.tr("{done} of {n} corpora, {size}")
        size = format_bytes(vector_bytes(vectors))
        return words.format(done=done, n=format_count(n_corpora), size=size)


def describe_speed(encoder: EncoderInfo, coverage: Coverage | None) -> str:
    """Return the rate on this machine, from the newest measurement."""
    last = coverage.last if coverage is not None else None
    if last is not None and last.sentences_per_s:
        rate = format_throughput(last.sentences_per_s, "sentences")
        return f"{rate} ({describe_device(last.device)})"
    if encoder.sentences_per_s:
        return format_throughput(encoder.sentences_per_s, "sentences")
    return ""
