"""Encoders, vectors and caches that stay loaded while a project is open."""

import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray
from app.engine.project.active_sentences import active_positions
from app.engine.project.project import Project
from app.engine.runtime.devices import preferred_device
from app.engine.search.languages import (
    active_language_rows,
    language_rows,
    matches_language,
)
from app.engine.search.sentence_orders import SharedArrayFolder
from app.engine.store.corpora import CorpusRow, corpus_of, list_texts, position_of
from app.engine.store.embeddings import EmbeddingRow, list_embeddings, map_embedding
from app.engine.store.lookup import corpora_by_id
from app.engine.store.sentences import read_languages, read_sentences
from app.errors import UserError

if TYPE_CHECKING:
    from torch import Tensor

    from app.engine.encoders.encoder import Encoder
    from app.engine.search.nearest import ScannedPart, StoredVectors

C = TypeVar("C")

MAX_LOADED_ENCODERS = 2  # the one in use, and one more


class OpenCorpus(NamedTuple):
    """A corpus whose vectors are open for search.

    Attributes:
        vectors: its arrays.
        language_rows: int64 (m,), the rows of each language; None for all rows.
    """

    vectors: "StoredVectors"
    language_rows: "dict[str, Tensor | None]"


class OpenedVectors(NamedTuple):
    """The vectors of a corpus by one encoder, and their record."""

    row: EmbeddingRow
    vectors: "StoredVectors"


class QueryVector(NamedTuple):
    """The vector to search with: float32 (d,) of length 1, or zero for unknown text.

    Attributes:
        sentence: its sentence, which is not a hit of its own search.
    """

    vector: FloatArray
    sentence: int | None = None

    @property
    def is_unknown(self) -> bool:
        """Return whether the encoder knows no part of the text."""
        return not self.vector.any()


class Scan(NamedTuple):
    """Scanned corpora.

    Attributes:
        parts: by language.
        n_searched: sentences.
        not_encoded: ids of corpora without vectors.
    """

    parts: "dict[str, list[ScannedPart]]"
    n_searched: int
    not_encoded: list[int]


class SearchSession:
    """An open project's loaded encoders and mapped vectors; used by one thread.

    Attributes:
        project: open for reading or writing.
    """

    def __init__(self, project: Project, *, device: str = ""):
        """Initialise without loaded encoders.

        Args:
            device: for scanning vectors; empty for the one in the settings.
        """
        self.project = project
        self._device = device
        self._encoders: deque[Encoder] = deque(maxlen=MAX_LOADED_ENCODERS)
        self._open: dict[tuple[str, str], OpenCorpus] = {}
        self._views: SharedArrayFolder | None = None
        self._caches: dict[type, object] = {}

    def corpora(
        self, ids: Sequence[int] = (), subcorpora: Sequence[int] = ()
    ) -> list[CorpusRow]:
        """List ready corpora with these ids and those of sub-corpora; by default all.

        Raises:
            UserError: a sub-corpus was deleted, or two share a corpus.
        """
        return corpora_by_id(self.project.store, ids, subcorpora)

    def searched_corpora(
        self, ids: Sequence[int] = (), subcorpora: Sequence[int] = ()
    ) -> list[CorpusRow]:
        """List corpora as `corpora`; by default all but word lists.

        Raises:
            UserError: a sub-corpus was deleted, or two share a corpus.
        """
        if not ids and not subcorpora:
            return list_texts(self.project.store)
        return self.corpora(ids, subcorpora)

    def encoder(self, name: str = "") -> "Encoder":
        """Return an encoder, loaded if necessary; without a name, the one in use.

        Raises:
            UserError: no encoder has that name.
        """
        from app.engine.encoders.registry import load_encoder

        encoder = load_encoder(name, self.project.folder)
        if encoder not in self._encoders:
            self._encoders.append(encoder)
        return encoder

    def query_of_text(self, text: str, encoder: "Encoder") -> QueryVector:
        """Encode a typed text."""
        from app.engine.numeric import normalise_rows

        unit_vectors, _ = normalise_rows(encoder.encode([text]))
        return QueryVector(unit_vectors[0])

    def query_of_sentence(self, sentence: int, encoder: "Encoder") -> QueryVector:
        """Return the stored vector of a sentence, or encode its text.

        Raises:
            UserError: the sentence was deleted.
        """
        for row in self._complete(encoder):
            if row.corpus_id == corpus_of(sentence):
                unit, _, _ = map_embedding(self.project.folder, row)
                vector = np.array(unit[position_of(sentence)])
                return QueryVector(vector, sentence)
        (found,) = read_sentences(self.project.store, [sentence])
        if found is None:
            raise UserError("The sentence was deleted from the project.")
        return self.query_of_text(found.text, encoder)._replace(sentence=sentence)

    def scan(
        self,
        query: QueryVector,
        encoder: "Encoder",
        corpora: Sequence[CorpusRow],
        languages: Sequence[str] = (),
    ) -> Scan:
        """Score the sentences of corpora, in some languages or all."""
        from app.engine.search.nearest import scan_scores, select_rows

        rows = {row.corpus_id: row for row in self._complete(encoder)}
        self._close_others([rows[c.id].array for c in self.corpora() if c.id in rows])
        parts: dict[str, list[ScannedPart]] = {}
        missing: list[int] = []
        for corpus in corpora:
            if corpus.id not in rows:
                missing += (
                    [corpus.id] if matches_language(corpus.language, languages) else []
                )
                continue
            opened = self._opened(rows[corpus.id], corpus)
            if not any(
                matches_language(code, languages) for code in opened.language_rows
            ):
                continue
            own_row = _own_row(query, corpus)
            scanned = scan_scores(opened.vectors, query.vector, without=own_row)
            active = active_positions(self.project, corpus)
            for code, rows_of_it in opened.language_rows.items():
                if matches_language(code, languages):
                    rows_of_it = active_language_rows(rows_of_it, active, corpus)
                    parts.setdefault(code, []).append(select_rows(scanned, rows_of_it))
        n_searched = sum(len(part.scores) for group in parts.values() for part in group)
        return Scan(parts, n_searched, missing)

    def open_corpus(self, corpus: CorpusRow, fingerprint: str) -> OpenedVectors | None:
        """Open the vectors of a corpus; None if it is not fully encoded."""
        listed = list_embeddings(self.project.store, fingerprint=fingerprint)
        for row in listed:
            if row.corpus_id == corpus.id and row.n_done == row.n_rows:
                return OpenedVectors(row, self._opened(row, corpus).vectors)
        return None

    def share_array(self, array: NDArray[Any]) -> str:
        """Write ids or a matrix for the window to map; old files are deleted.

        Returns:
            The file, relative to the project if it is inside it.
        """
        if self._views is None:
            folder = self.project.folder / "arrays" / "views"
            if self.project.is_read_only:
                folder = Path(tempfile.mkdtemp(prefix="isogloss-views-"))
            self._views = SharedArrayFolder(folder)
        file = self._views.write(array)
        if file.is_relative_to(self.project.folder):
            file = file.relative_to(self.project.folder)
        return file.as_posix()

    def cache(self, kind: type[C], make: Callable[[], C]) -> C:
        """Return the session's cache of a class, made at the first call.

        Features store frequently read data here, so that the session does not depend on
        the features.
        """
        if kind not in self._caches:
            self._caches[kind] = make()
        return cast(C, self._caches[kind])

    def forget_caches(self) -> None:
        """Clear the caches, and close their connections."""
        self._caches.clear()

    def _complete(self, encoder: "Encoder") -> list[EmbeddingRow]:
        """List the corpora that the encoder has fully encoded."""
        listed = list_embeddings(self.project.store, fingerprint=encoder.fingerprint)
        return [row for row in listed if row.n_done == row.n_rows]

    def _opened(self, row: EmbeddingRow, corpus: CorpusRow) -> OpenCorpus:
        """Return the arrays of an embedding, mapped if necessary."""
        from app.engine.search.nearest import open_vectors

        key = (row.array, corpus.language)
        if key not in self._open:
            arrays = map_embedding(self.project.folder, row)
            device = self._device or preferred_device()
            vectors = open_vectors(corpus.id, *arrays, device=device)
            codes = read_languages(self.project.store, corpus.id)
            self._open[key] = OpenCorpus(vectors, language_rows(codes, corpus))
        return self._open[key]

    def _close_others(self, stems: Sequence[str]) -> None:
        """Close arrays whose corpus or embedding was deleted or edited."""
        for key in [key for key in self._open if key[0] not in stems]:
            del self._open[key]


def _own_row(query: QueryVector, corpus: CorpusRow) -> int | None:
    """Return the row of the query's own sentence in a corpus."""
    if query.sentence is None or corpus_of(query.sentence) != corpus.id:
        return None
    return position_of(query.sentence)
