"""The encoder selected in the view, and its state in the open project."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from app.engine.store.embeddings import EmbeddingRow
from app.params.encoders import MeasureCoverage
from app.protocol.answers.encoders import EncoderInfo
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.encoders.encoder_list import EncoderListView


class EncoderSelection:
    """State of the encoder selected in the list, to determine available actions."""

    def __init__(self, state: AppState, encoder_list: EncoderListView):
        self.state = state
        self._list = encoder_list

    @property
    def encoder(self) -> EncoderInfo | None:
        """The selected encoder, or None."""
        return self._list.encoder

    @property
    def is_in_use(self) -> bool:
        """Return whether search and encoding use the selected encoder."""
        encoder = self.encoder
        return encoder is not None and encoder.name == self.state.encoders.chosen

    @property
    def has_corpora(self) -> bool:
        """Return whether the project has a corpus to measure on."""
        return self.state.project is not None and bool(self.state.project.corpora)

    @property
    def vectors(self) -> list[EmbeddingRow]:
        """The project's vectors from the selected encoder."""
        project, encoder = self.state.project, self.encoder
        if project is None or encoder is None:
            return []
        return [r for r in project.embeddings if r.fingerprint == encoder.fingerprint]

    @property
    def missing_corpora(self) -> list[int]:
        """Ids of the corpora that the selected encoder can and still has to encode."""
        done = {row.corpus_id for row in self.vectors if row.n_done == row.n_rows}
        encoder = self.encoder
        return [
            corpus.id
            for corpus in self.state.corpora
            if corpus.id not in done
            and encoder is not None
            and encoder.has_language(corpus.language)
        ]

    @property
    def orphaned_vectors(self) -> list[EmbeddingRow]:
        """Vectors whose encoder is not available."""
        project, encoders = self.state.project, self.state.encoders.cards
        if project is None or not encoders:
            return []
        known = {encoder.fingerprint for encoder in encoders}
        return [row for row in project.embeddings if row.fingerprint not in known]

    @property
    def orphaned_names(self) -> str:
        """Names of the encoders of orphaned vectors; some may have been replaced."""
        known = {encoder.name for encoder in self.state.encoders.cards}
        earlier = QCoreApplication.translate("EncodersView", "an earlier {name}")
        names = sorted({row.encoder for row in self.orphaned_vectors})
        return ", ".join(
            earlier.format(name=name) if name in known else name for name in names
        )

    @property
    def measurement(self) -> RunState | None:
        """The running measurement of the selected encoder, or None."""
        name = self.encoder.name if self.encoder is not None else ""
        for run in self.state.runs:
            if isinstance(run.params, MeasureCoverage) and run.params.encoder == name:
                return run
        return None


def vector_bytes(rows: Sequence[EmbeddingRow]) -> int:
    """Return the size of vectors on disk: float32 and float16 (n, d), float32 (n)."""
    return sum(row.n_rows * (6 * row.dim + 4) for row in rows)
