"""Read the words of a corpus and sort them into the arrays of a word index."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.project.project import Project
from app.engine.runtime.blocking_calls import run_in_thread
from app.engine.runtime.report import Report
from app.engine.store.arrays import ArrayWriter, partial_path
from app.engine.store.corpora import CorpusRow
from app.engine.store.sentences import iterate_texts, read_languages
from app.engine.store.words.indexes import AnalysedWord, has_analyses, read_analyses
from app.engine.words.lexicon import IdArray as IdArrayOfIndexArrays
from app.engine.words.lexicon import pack_items, sort_items
from app.engine.words.tokenizer import fold_word, tokenize_texts
from app.languages import elides

STAGE = "Indexing words"
MAX_CHARACTERS = 2_000_000  # tokenized at once, unless a single text is longer
LAYERS = ("form", "lemma", "pos")  # in sources

IdArray = NDArray[np.int32]


class Collected(NamedTuple):
    """The words of a corpus in text order.

    Attributes:
        begins, ends: int32 (t,), start and end in the sentence, in code points.
        starts: int64 (n + 1,), first token of each sentence.
        ids: for each layer: int32 (t,), indices into `items`.
        items: for each layer: distinct values in the order of first occurrence.
        has_unspaced: whether some text was cut by a segmenter.
    """

    begins: IdArray
    ends: IdArray
    starts: NDArray[np.int64]
    ids: dict[str, IdArray]
    items: dict[str, list[str]]
    has_unspaced: bool


def collect_words(project: Project, corpus: CorpusRow, report: Report) -> Collected:
    """Read the words of a corpus from its source or from the tokenizer.

    Raises:
        Cancelled: nothing was written.
    """
    is_analysed = has_analyses(project.store, corpus.id)
    collector = _Collector(LAYERS if is_analysed else LAYERS[:1])
    eliding = _eliding(project, corpus)
    report.step(STAGE, 0, corpus.n_sentences, corpus.name)
    for texts in _batches(project, corpus):
        start, end = collector.n, collector.n + len(texts)
        words: dict[int, list[AnalysedWord]] = {}
        if is_analysed:
            words = read_analyses(project.store, corpus.id, start, end)
        some = eliding if len(eliding) == 1 else eliding[start:end]
        collector.add(texts, some, {place - start: w for place, w in words.items()})
        report.step(STAGE, end, corpus.n_sentences, corpus.name)
    return collector.finish()


class _Collector:
    """Collects the words of texts, batch by batch.

    Attributes:
        n: sentences so far.
    """

    def __init__(self, layers: Sequence[str]):
        self.n = 0
        self._known: dict[str, defaultdict[str, int]] = {
            layer: defaultdict(count().__next__) for layer in layers
        }
        self._begins: list[IdArray] = [np.empty(0, np.int32)]
        self._ends: list[IdArray] = [np.empty(0, np.int32)]
        self._lengths: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
        self._ids: dict[str, list[IdArray]] = {
            layer: [np.empty(0, np.int32)] for layer in layers
        }
        self._has_unspaced = False

    def add(
        self,
        texts: Sequence[str],
        eliding: NDArray[np.bool_],
        given: dict[int, list[AnalysedWord]],
    ) -> None:
        """Add texts; `given` has the annotated words of some of them, by index."""
        cut = [text for index, text in enumerate(texts) if index not in given]
        is_given = np.zeros(len(texts), bool)
        is_given[list(given)] = True
        some = eliding if len(eliding) == 1 else eliding[~is_given]
        cuts = tokenize_texts(cut, some)
        self._has_unspaced |= cuts.has_unspaced
        rows = np.searchsorted(cuts.offsets, cuts.begins, "right") - 1
        begins, ends = cuts.begins - cuts.offsets[rows], cuts.ends - cuts.offsets[rows]
        lengths = np.bincount(rows, minlength=len(cut))
        words = cuts.words()
        if not given:
            self._append((begins, ends, lengths), {"form": words})
        else:
            spans = zip(words, begins.tolist(), ends.tolist(), strict=True)
            plain = iter([AnalysedWord(b, e, form, "", "") for form, b, e in spans])
            n_words = iter(lengths.tolist())
            self._append_given(
                given[index]
                if index in given
                else [next(plain) for _ in range(next(n_words))]
                for index in range(len(texts))
            )
        self.n += len(texts)

    def finish(self) -> Collected:
        """Return the collected words."""
        return Collected(
            np.concatenate(self._begins),
            np.concatenate(self._ends),
            np.cumsum(np.concatenate(self._lengths)),
            {layer: np.concatenate(parts) for layer, parts in self._ids.items()},
            {layer: list(known) for layer, known in self._known.items()},
            self._has_unspaced,
        )

    def _append_given(self, sentences: Iterator[list[AnalysedWord]]) -> None:
        """Add annotated words of sentences, without punctuation, like the tokenizer."""
        kept = [
            [word for word in words if any(map(str.isalnum, word.form))]
            for words in sentences
        ]
        flat = [word for words in kept for word in words]
        spans = np.array([(word.start, word.end) for word in flat], np.int32)
        spans = spans.reshape(-1, 2)
        lengths = np.array([len(words) for words in kept], np.int64)
        columns = {
            "form": [word.form for word in flat],
            "lemma": [word.lemma for word in flat],
            "pos": [word.pos for word in flat],
        }
        self._append((spans[:, 0], spans[:, 1], lengths), columns)

    def _append(
        self,
        spans: tuple[NDArray[np.integer], NDArray[np.integer], NDArray[np.int64]],
        columns: dict[str, list[str]],
    ) -> None:
        begins, ends, lengths = spans
        self._begins.append(begins.astype(np.int32))
        self._ends.append(ends.astype(np.int32))
        self._lengths.append(lengths)
        for layer, known in self._known.items():
            items = columns.get(layer) or [""] * len(begins)
            ids = np.fromiter(map(known.__getitem__, items), np.int32, len(items))
            self._ids[layer].append(ids)


def _batches(project: Project, corpus: CorpusRow) -> Iterator[list[str]]:
    """Read the texts of a corpus in batches of at most `MAX_CHARACTERS` characters."""
    for page in iterate_texts(project.store, corpus.id):
        texts = [text for _, text in page]
        ends = np.cumsum([len(text) for text in texts])
        n_parts = int(ends[-1]) // MAX_CHARACTERS + 1
        marks = ends[-1] * np.arange(1, n_parts) / n_parts
        bounds = [0, *np.searchsorted(ends, marks).tolist(), len(texts)]
        for low, high in pairwise(bounds):
            if high > low:
                yield texts[low:high]


def _eliding(project: Project, corpus: CorpusRow) -> NDArray[np.bool_]:
    """Return whether an apostrophe ends a word: bool (n,), or (1,) for all rows."""
    codes = read_languages(project.store, corpus.id)
    if codes is None:
        return np.array([elides(corpus.language)])
    known = {code: elides(code) for code in np.unique(codes).tolist()}
    return np.array([known[code] for code in codes.tolist()])


SORT_STAGE, WRITE_STAGE = "Sorting words", "Writing words"
WRITE_ROWS = 5_000_000
LOW_BITS = 32
Arrays = dict[str, NDArray[Any]]


def write_in_parts(file: Path, array: NDArray[Any], report: Report) -> None:
    """Write an array (n, …) in parts of rows, and check for a cancel between them.

    Raises:
        Cancelled: the array is not created.
    """
    writer = ArrayWriter(file, array.shape, array.dtype)
    try:
        for start in range(0, len(array), WRITE_ROWS):
            report.step(WRITE_STAGE, start, len(array), file.name)
            writer.append(array[start : start + WRITE_ROWS])
        writer.finish()
    finally:
        writer.close()
        partial_path(file).unlink(missing_ok=True)  # incomplete array


def layer_arrays(collected: Collected, report: Report) -> Arrays:
    """Sort the collected words, and return the arrays of an index by name."""
    arrays: Arrays = {
        "begins": collected.begins,
        "ends": collected.ends,
        "starts": collected.starts,
    }
    for layer, items in collected.items.items():
        make = partial(_sorted_layer, items, collected.ids[layer])
        tokens, lexicon = run_in_thread(make, report, SORT_STAGE)
        arrays |= _named(layer, tokens, lexicon, report)
        if layer == "form":
            make_words = partial(_words_of_forms, tokens, lexicon)
            arrays |= _named(
                "word", *run_in_thread(make_words, report, SORT_STAGE), report
            )
    return arrays


def _named(
    layer: str, tokens: IdArrayOfIndexArrays, items: list[str], report: Report
) -> Arrays:
    """Return the arrays of a layer, with its tokens in order of id."""

    def order_tokens() -> tuple[IdArrayOfIndexArrays, NDArray[np.int64]]:
        # one sort of integers: id in the high bits, place in the low bits
        keys = tokens.astype(np.int64) << LOW_BITS | np.arange(len(tokens))
        keys.sort()
        counts = np.bincount(tokens, minlength=len(items))
        return keys.astype(np.int32), np.append(0, np.cumsum(counts))

    order, firsts = run_in_thread(order_tokens, report, SORT_STAGE)
    named: Arrays = {
        "tokens": tokens,
        "order": order,
        "firsts": firsts,
        "lexicon": pack_items(items),
    }
    return {f"{layer}.{name}": array for name, array in named.items()}


def _sorted_layer(
    items: list[str], ids: IdArrayOfIndexArrays
) -> tuple[IdArrayOfIndexArrays, list[str]]:
    """Number items in the order of a lexicon."""
    in_order, places = sort_items(items)
    return places[ids], in_order


def _words_of_forms(
    tokens: IdArrayOfIndexArrays, forms: list[str]
) -> tuple[IdArrayOfIndexArrays, list[str]]:
    """Return the words of forms, in the same order."""
    folded = [fold_word(form) for form in forms]
    is_new = np.array([a != b for a, b in zip(folded, ["\n", *folded], strict=False)])
    words = np.cumsum(is_new, dtype=np.int32) - 1
    named = [word for word, new in zip(folded, is_new.tolist(), strict=True) if new]
    return words.astype(np.int32)[tokens], named
