"""The facts of an encoder: languages, licence, origin, size and hash."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from app.engine.store.embeddings import EmbeddingRow
from app.languages import language_name, parse_language
from app.protocol.answers.encoders import EncoderInfo
from app.views.client.encoders import Coverage
from app.views.encoders.selection import vector_bytes
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import as_widget, make_column
from app.views.widgets.controls import ElidedLabel, make_label
from app.views.widgets.number_format import (
    describe_device,
    format_bytes,
    format_count,
    format_throughput,
)
from app.views.widgets.theme import GRID, TEXT_PX, set_text_size, set_width

HASH_WIDTH = 24 * GRID
N_NAMED = 60  # languages in the tooltip


class EncoderFacts(QFrame):
    """A card with the facts of an encoder, on as many lines as necessary."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setProperty("card", True)
        self._values: dict[str, ElidedLabel] = {}
        self._facts: dict[str, QWidget] = {}
        row = WrappingRow(3 * GRID, line_gap=GRID)
        make_column(row, parent=self, margins=(2 * GRID, GRID + 4, 2 * GRID, GRID + 4))
        policy = QSizePolicy.Policy
        for key, title in self._titles().items():
            value = ElidedLabel(takes_line=key != "hash")
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            fact = WrappingRow(GRID, line_gap=0)
            fact.addWidget(make_label(title, "secondary"))
            fact.addWidget(value)
            self._values[key], self._facts[key] = value, as_widget(fact)
            if key == "hash":  # uses the remaining width, and can be copied
                self._facts[key].setSizePolicy(policy.Ignored, policy.Preferred)
                set_width(self._facts[key], HASH_WIDTH)
            row.addWidget(self._facts[key])
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        self._values["hash"].setFont(fixed)
        set_text_size(self._values["hash"], TEXT_PX - 1)

    def value(self, key: str) -> str:
        """Return the text of a fact."""
        return self._values[key].text()

    def show_encoder(
        self,
        encoder: EncoderInfo,
        coverage: Coverage | None,
        vectors: Sequence[EmbeddingRow],
        *,
        n_corpora: int,
        base: str,
    ) -> None:
        """Show an encoder's facts.

        Args:
            encoder: the encoder.
            coverage: measurements of the encoder, or None.
            vectors: the project's vectors from the encoder.
            n_corpora: number of corpora in the project.
            base: name of the encoder whose word vectors it uses; empty if none.
        """
        codes = {parse_language(code).code for code in encoder.languages}
        names = sorted(map(language_name, codes))
        unknown = self.tr("unknown")
        values = {
            "base": base,
            "languages": self._count_languages(names) or unknown,
            "speed": describe_speed(encoder, coverage) or self.tr("not measured"),
            "licence": encoder.licence.strip().partition("\n")[0] or unknown,
            "vectors": self._describe_vectors(vectors, n_corpora),
            "origin": encoder.origin or self.tr("trained with Isogloss"),
            "hash": encoder.fingerprint,
        }
        hints = {
            "base": self.tr("It uses the word vectors of {name}.").format(name=base),
            "languages": ", ".join(names[:N_NAMED]),
            "licence": encoder.licence[:2_000],
            "hash": self.tr("SHA-256 hash of the weights and the vocabulary."),
            "origin": encoder.source_sha256 and f"SHA-256 {encoder.source_sha256}",
        }
        for key, text in values.items():
            self._values[key].hint = hints.get(key, "")
            self._values[key].setText(text)
        self._facts["base"].setVisible(bool(base))

    def _titles(self) -> dict[str, str]:
        return {
            "base": self.tr("Needs"),
            "languages": self.tr("Languages"),
            "licence": self.tr("Licence"),
            "vectors": self.tr("Vectors in this project"),
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
    """Describe the encoding speed on this machine, from the newest measurement."""
    last = coverage.last if coverage is not None else None
    if last is not None and last.sentences_per_s:
        rate = format_throughput(last.sentences_per_s, "sentences")
        return f"{rate} ({describe_device(last.device)})"
    if encoder.sentences_per_s:
        return format_throughput(encoder.sentences_per_s, "sentences")
    return ""
