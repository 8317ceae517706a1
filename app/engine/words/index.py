"""The word index of a corpus: the positions of each word, saved as arrays.

The arrays are `arrays/<stem>.<name>.npy`, for t tokens and n sentences:
    begins, ends            int32 (t,)    code points in the sentence
    starts                  int64 (n + 1,) first token of each sentence
    <layer>.tokens          int32 (t,)    ids of items, in the order of the text
    <layer>.order           int32 (t,)    places sorted by id, then by place
    <layer>.firsts          int64 (v + 1,) first entry of each id in it
    <layer>.lexicon         uint8 (c,)    the items, see lexicon.py
Layers: word (case-folded) and form always; lemma and pos if the source has them.
"""

import secrets
import shutil
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.arrays import MIN_FREE_BYTES, map_array
from app.engine.store.corpora import CorpusRow
from app.engine.store.words.indexes import (
    WordIndexRow,
    read_word_index,
    word_index_file,
    write_word_index,
)
from app.engine.words.index_builder import (
    Arrays,
    Collected,
    collect_words,
    layer_arrays,
    write_in_parts,
)
from app.engine.words.lexicon import IdArray, Lexicon
from app.engine.words.tokenizer import CHARACTERS, ICU, NOTE, RULES, unspaced_segmenter
from app.errors import ResourceError, UserError
from app.params.words import Layer

NAMES_OF_GIVEN: dict[Layer, str] = {"lemma": "lemmas", "pos": "parts of speech"}


class LayerTokens(NamedTuple):
    """The tokens of a corpus in one layer.

    Attributes:
        tokens: int32 (t,), ids in the order of the text.
        lexicon: the items of the ids; "" if the source has no value.
        order: int32 (t,), places sorted by id, then by place.
        firsts: int64 (v + 1,), first entry of each id in `order`.
    """

    tokens: IdArray
    lexicon: Lexicon
    order: IdArray
    firsts: NDArray[np.int64]


class WordIndex:
    """The words of one corpus.

    Attributes:
        corpus_id, name, language: id, name and language of the corpus.
        stem: stem of the files; empty: in memory only.
        n_sentences, n_tokens: numbers of sentences and tokens.
        has_lemmas: whether the words are from the source, with lemma and POS fields.
        notes: sentences for the user.
        begins, ends: int32 (t,), code points in the sentence.
        starts: int64 (n + 1,), first token of each sentence.
    """

    def __init__(
        self, corpus: CorpusRow, row: WordIndexRow, read: Callable[[str], NDArray[Any]]
    ):
        """Open an index.

        Args:
            read: returns an array by name.
        """
        self.corpus_id, self.language = corpus.id, corpus.language
        self.stem = row.array
        self.has_lemmas = bool(row.has_lemmas)
        self.notes = [NOTE] if row.segmenter.endswith(CHARACTERS) else []
        self.begins, self.ends, self.starts = map(read, ("begins", "ends", "starts"))
        self.n_sentences, self.n_tokens = len(self.starts) - 1, len(self.begins)
        self.name = corpus.name
        self._read = read
        self._layers: dict[Layer, LayerTokens] = {}

    @property
    def tokens(self) -> IdArray:
        """Ids of forms in text order: int32 (t,)."""
        return self.layer("form").tokens

    @property
    def forms(self) -> Lexicon:
        """Items of the form ids."""
        return self.layer("form").lexicon

    def has(self, layer: Layer) -> bool:
        """Return whether the source has a layer; words and forms always exist."""
        if layer not in NAMES_OF_GIVEN:
            return True
        if not self.has_lemmas:
            return False
        lexicon = self._layer(layer).lexicon
        return len(lexicon) > 1 or lexicon.range_of("") != (0, len(lexicon))

    def layer(self, layer: Layer) -> LayerTokens:
        """Return the tokens of a layer: words, forms, lemmas or parts of speech.

        Raises:
            UserError: the source has no lemmas or parts of speech.
        """
        if not self.has(layer):
            raise UserError(
                f"{self.name} has no {NAMES_OF_GIVEN[layer]} (only CoNLL-U files "
                "contain them). Count words or forms."
            )
        return self._layer(layer)

    def _layer(self, layer: Layer) -> LayerTokens:
        if layer not in self._layers:
            names = ("tokens", "lexicon", "order", "firsts")
            tokens, text, order, firsts = (self._read(f"{layer}.{n}") for n in names)
            self._layers[layer] = LayerTokens(tokens, Lexicon(text), order, firsts)
        return self._layers[layer]

    def sentence_of(self, indices: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the positions of the sentences of tokens: int64 (m,)."""
        return np.searchsorted(self.starts, indices, "right") - 1


def known_index(project: Project, corpus: CorpusRow) -> WordIndex | None:
    """Open the saved index of a corpus; None if it is missing or outdated."""
    row = read_word_index(project.store, corpus.id)
    if row is None or not _is_current(row, corpus):
        return None
    try:
        index = WordIndex(corpus, row, partial(_map, project, row.array))
    except ResourceError:
        return None
    return index if index.n_sentences == corpus.n_sentences else None


def open_index(project: Project, corpus: CorpusRow, report: Report) -> WordIndex:
    """Open the index of a corpus, or build it, and save it if the project is writable.

    Raises:
        Cancelled: the old index is unchanged.
        ResourceError: the disk is full.
    """
    known = known_index(project, corpus)
    if known is not None:
        return known
    collected = collect_words(project, corpus, report)
    if project.is_read_only:
        return memory_index(corpus, collected, report)
    arrays, row = layer_arrays(collected, report), _row(corpus, collected, report)
    _check_space(project, arrays, corpus)
    old = read_word_index(project.store, corpus.id)
    for name, array in arrays.items():
        write_in_parts(word_index_file(project.folder, row.array, name), array, report)
    write_word_index(project.store, row._asdict())
    report.changed("words", corpus.id)
    if old is not None:
        _remove_files(project, old.array)
    return WordIndex(corpus, row, partial(_map, project, row.array))


def memory_index(corpus: CorpusRow, collected: Collected, report: Report) -> WordIndex:
    """Build an index in memory only."""
    arrays = layer_arrays(collected, report)
    row = _row(corpus, collected, report)._replace(array="")
    return WordIndex(corpus, row, arrays.__getitem__)


def _check_space(project: Project, arrays: Arrays, corpus: CorpusRow) -> None:
    """Check the disk space before writing."""
    needed = sum(array.nbytes for array in arrays.values())
    free = shutil.disk_usage(project.folder).free
    if needed + MIN_FREE_BYTES > free:
        raise ResourceError(
            f"The word index of {corpus.name} needs {needed / 1e6:,.0f}\u00a0MB and "
            f"{MIN_FREE_BYTES / 1e6:,.0f}\u00a0MB must stay free, but the disk of "
            f"{project.folder} has only {free / 1e6:,.0f}\u00a0MB. Free up some space."
        )


def _row(corpus: CorpusRow, collected: Collected, report: Report) -> WordIndexRow:
    cutter = unspaced_segmenter() if collected.has_unspaced else "-"
    return WordIndexRow(
        corpus_id=corpus.id,
        segmenter=f"{_rules(corpus)} {cutter}",
        n_tokens=len(collected.begins),
        n_types=len(collected.items["form"]),
        has_lemmas=int("lemma" in collected.items),
        array=f"words-{secrets.token_hex(4)}",
        run_id=report.run,
        created_at=time.time(),
    )


def _rules(corpus: CorpusRow) -> str:
    return f"{RULES} {corpus.language or '-'}"


def _is_current(row: WordIndexRow, corpus: CorpusRow) -> bool:
    """Return whether an index is up to date."""
    if row.is_outdated:
        return False
    rules, _, cutter = row.segmenter.rpartition(" ")
    is_better_now = cutter == CHARACTERS and unspaced_segmenter() == ICU
    return rules == _rules(corpus) and not is_better_now


def _map(project: Project, stem: str, name: str) -> NDArray[Any]:
    return map_array(word_index_file(project.folder, stem, name))


def _remove_files(project: Project, stem: str) -> None:
    """Delete the files of an index; on Windows, mapped ones at the next opening."""
    for file in (project.folder / "arrays").glob(f"{stem}.*"):
        try:
            file.unlink()
        except OSError:
            continue
