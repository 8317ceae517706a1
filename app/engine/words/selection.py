"""Select the corpora whose words are counted and map their items to shared ids."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import IntArray
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import CorpusRow, list_texts
from app.engine.store.documents import document_numbers
from app.engine.store.lookup import find_corpora
from app.engine.words.cache import WordCache
from app.engine.words.hits import counted_languages, sentence_mask
from app.engine.words.index import NAMES_OF_GIVEN, LayerTokens, WordIndex, open_index
from app.engine.words.lexicon import IdArray, Lexicon, pack_items, sort_items
from app.errors import UserError
from app.languages import parse_language
from app.params.words import Collocates, Frequencies, Keyness, Layer

IndexOpener = Callable[[CorpusRow], WordIndex | None]
STAGE = "Collecting words"


class CorpusPart(NamedTuple):
    """A corpus, or a part of a corpus, whose words are counted.

    Attributes:
        words: index of the corpus.
        layer: tokens of the counted layer.
        mask: bool (n,), active sentences; None: all.
        documents: int32 (n,), document of each active sentence, from 0.
        n_documents: number of documents with active sentences.
        ids: int32 (v,), shared id of each item of the layer; None: same ids.
    """

    words: WordIndex
    layer: LayerTokens
    mask: NDArray[np.bool_] | None
    documents: IdArray
    n_documents: int
    ids: IdArray | None = None

    @property
    def lengths(self) -> IntArray:
        """Count the tokens of each active sentence: int64 (m,)."""
        lengths = np.diff(self.words.starts)
        return lengths if self.mask is None else lengths[self.mask]

    @property
    def n_tokens(self) -> int:
        """Count the tokens that take part."""
        return int(self.lengths.sum())


class SharedParts(NamedTuple):
    """Parts with shared item ids, and the lexicon of these ids."""

    parts: tuple[CorpusPart, ...]
    lexicon: Lexicon

    @property
    def n_tokens(self) -> int:
        """Count the tokens that take part."""
        return sum(part.n_tokens for part in self.parts)


class CountOptions(NamedTuple):
    """Options that select the items to count.

    Attributes:
        layer: words, forms, lemmas or parts of speech.
        languages: codes; empty: all.
        asked: layers of the query.
    """

    layer: Layer
    languages: Sequence[str] = ()
    asked: tuple[Layer, ...] = ()

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Return the layers that a corpus must have."""
        return self.layer, *self.asked


class CorpusSelection(NamedTuple):
    """The corpora of a query.

    Attributes:
        parts: indexed corpora.
        not_indexed: ids of corpora without an index.
        notes: sentences on the tokenization.
        languages: codes of the counted sentences, without regions.
    """

    parts: tuple[CorpusPart, ...]
    not_indexed: tuple[int, ...]
    notes: tuple[str, ...]
    languages: frozenset[str] = frozenset()


def select_parts(
    cache: WordCache,
    corpora: Sequence[CorpusRow],
    wanted: CountOptions,
    opened: IndexOpener,
) -> CorpusSelection:
    """Open the items to count; corpora without lemmas are skipped if others have them.

    Args:
        corpora: complete corpora or parts.
        opened: returns the index of a corpus; None: not indexed.

    Raises:
        UserError: lemmas or parts of speech are counted, and no corpus has them.
    """
    parts: list[CorpusPart] = []
    missing: list[int] = []
    lacking: list[tuple[str, WordIndex]] = []
    notes: dict[str, None] = {}
    languages: set[str] = set()
    for corpus in corpora:
        mask = sentence_mask(cache, corpus, wanted.languages)
        if mask is not None and not mask.any():
            continue
        index = opened(corpus)
        if index is None:
            missing.append(corpus.id)
        elif not all(map(index.has, wanted.layers)):
            lacking.append((corpus.name, index))
        else:
            layer = index.layer(wanted.layer)
            documents = _documents(cache.project, corpus, mask)
            parts.append(CorpusPart(index, layer, mask, *documents))
            notes |= dict.fromkeys(index.notes)
            languages |= counted_languages(cache, corpus, wanted.languages)
    if lacking and not parts:
        for needed in wanted.layers:
            lacking[0][1].layer(needed)  # raises the error that names the missing layer
    if lacking:
        names = ", ".join(name for name, _ in lacking)
        lack = " or ".join(
            NAMES_OF_GIVEN[needed]
            for needed in dict.fromkeys(wanted.layers)
            if needed in NAMES_OF_GIVEN
        )
        notes[f"Skipped (no {lack}): {names}."] = None
    return CorpusSelection(
        tuple(parts), tuple(missing), tuple(notes), frozenset(languages)
    )


def index_opener(project: Project, report: Report) -> IndexOpener:
    """Return a function that opens or builds each index once for a task."""
    opened: dict[int, WordIndex] = {}

    def open_once(corpus: CorpusRow) -> WordIndex:
        if corpus.id not in opened:
            opened[corpus.id] = open_index(project, corpus, report)
        return opened[corpus.id]

    return open_once


def share_ids(parts: Sequence[CorpusPart]) -> SharedParts:
    """Assign shared ids to parts; parts of a single corpus keep its ids."""
    if len({id(part.layer.lexicon) for part in parts}) == 1:
        return SharedParts(tuple(parts), parts[0].layer.lexicon)
    listed = [part.layer.lexicon.all_items() for part in parts]
    items, _ = sort_items(list(dict.fromkeys(chain.from_iterable(listed))))
    ids = {item: index for index, item in enumerate(items)}
    shared = [
        part._replace(ids=np.fromiter(map(ids.__getitem__, some), np.int32, len(some)))
        for part, some in zip(parts, listed, strict=True)
    ]
    return SharedParts(tuple(shared), Lexicon(pack_items(items)))


def count_items(shared: SharedParts, report: Report) -> IntArray:
    """Count the items of parts: int64 (v,), by shared id."""
    counts = np.zeros(len(shared.lexicon), np.int64)
    for done, part in enumerate(shared.parts):
        report.step(STAGE, done, len(shared.parts))
        own = np.diff(part.layer.firsts)
        if part.mask is not None:
            tokens = part.layer.tokens[token_places(part)]
            own = np.bincount(tokens, minlength=len(part.layer.lexicon))
        ids = slice(None) if part.ids is None else part.ids
        counts[ids] += own
    return counts


def token_places(part: CorpusPart) -> IntArray:
    """Return the places of the active tokens: int64 (t,), ascending."""
    starts = part.words.starts[:-1]
    begins = starts if part.mask is None else starts[part.mask]
    lengths = part.lengths
    shifts = begins - (np.cumsum(lengths) - lengths)
    return np.repeat(shifts, lengths) + np.arange(int(lengths.sum()))


def _documents(
    project: Project, corpus: CorpusRow, mask: NDArray[np.bool_] | None
) -> tuple[IdArray, int]:
    """Number and count the documents of the active sentences."""
    numbers = document_numbers(project.store, corpus)
    if mask is None:  # all are active
        return numbers, int(numbers.max(initial=-1)) + 1
    is_used = np.bincount(numbers[mask]) > 0
    indices = np.full(int(numbers.max()) + 1, -1, np.int32)
    indices[: len(is_used)][is_used] = np.arange(np.count_nonzero(is_used))
    return indices[numbers], int(np.count_nonzero(is_used))


def blank_id(lexicon: Lexicon) -> int:
    """Return the id of the empty item for missing values; -1: none."""
    return 0 if len(lexicon) and not lexicon.item(0) else -1


def select_corpora(
    project: Project,
    params: Frequencies | Collocates,
    report: Report,
    *,
    asked: tuple[Layer, ...] = (),
) -> CorpusSelection:
    """Open the items to count, and index corpora that have no index.

    Args:
        asked: layers of the query.

    Raises:
        UserError: no such corpus, nothing in these languages, or no lemmas.
    """
    corpora = find_corpora(project.store, params.corpora)
    corpora = corpora or list_texts(project.store)
    if not corpora:
        raise UserError("The project has no corpus. Import one first.")
    codes = tuple(parse_language(text).code for text in params.languages)
    wanted = CountOptions(params.layer, codes, asked)
    chosen = _choose(project, corpora, wanted, index_opener(project, report))
    if not chosen.parts:
        where = f" in {', '.join(params.languages)}" if params.languages else ""
        raise UserError(
            f"No sentences{where} to count. Choose other corpora or languages."
        )
    return chosen


def select_sides(
    project: Project, params: Keyness, report: Report
) -> tuple[CorpusSelection, CorpusSelection]:
    """Open the corpora of two sides to compare.

    Raises:
        UserError: no such corpus, the same corpus twice, or no lemmas.
    """
    named = (params.corpora, params.against)
    sides = [find_corpora(project.store, names) for names in named]
    one, other = ({(row.id, row.subcorpus) for row in side} for side in sides)
    if one == other:
        here, there = (", ".join(names) for names in named)
        raise UserError(
            f"{here} and {there} are the same. Choose two different corpora."
        )
    codes = tuple(parse_language(text).code for text in params.languages)
    opened, wanted = index_opener(project, report), CountOptions(params.layer, codes)
    first, second = (_choose(project, side, wanted, opened) for side in sides)
    return first, second


def _choose(
    project: Project,
    corpora: Sequence[CorpusRow],
    wanted: CountOptions,
    opened: IndexOpener,
) -> CorpusSelection:
    return select_parts(WordCache(project), corpora, wanted, opened)
