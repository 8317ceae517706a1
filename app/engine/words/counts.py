"""What is counted: the words of corpora that take part, under shared ids."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.project import Project
from app.engine.report import Report
from app.engine.store.document_rows import document_numbers
from app.engine.store.rows import CorpusRow
from app.engine.words.hits import chosen_mask
from app.engine.words.index import NAMES_OF_GIVEN, LayerTokens, WordIndex, open_index
from app.engine.words.lexicon import IdArray, Lexicon, pack_items, sort_items
from app.engine.words.shelf import WordShelf
from app.params.words import Layer

IntArray = NDArray[np.int64]
Opener = Callable[[CorpusRow], WordIndex | None]
STAGE = "gather words"


class Part(NamedTuple):
    """A corpus, or a part of it, whose words are counted.

    Attributes:
        words: index of the corpus.
        layer: its tokens, as they are counted.
        mask: bool (n,), sentences that take part; None: all.
        documents: int32 (n,), from 0, of sentences that take part.
        n_documents: that have a sentence here.
        ids: int32 (v,), shared id of each item of the layer; None: its own.
    """

    words: WordIndex
    layer: LayerTokens
    mask: NDArray[np.bool_] | None
    documents: IdArray
    n_documents: int
    ids: IdArray | None = None

    @property
    def lengths(self) -> IntArray:
        """Count the tokens of each sentence that takes part: int64 (m,)."""
        lengths = np.diff(self.words.starts)
        return lengths if self.mask is None else lengths[self.mask]

    @property
    def n_tokens(self) -> int:
        """Count the tokens that take part."""
        return int(self.lengths.sum())


class Shared(NamedTuple):
    """Parts whose items have the same ids, and what these stand for."""

    parts: tuple[Part, ...]
    lexicon: Lexicon

    @property
    def n_tokens(self) -> int:
        """Count the tokens that take part."""
        return sum(part.n_tokens for part in self.parts)

    @property
    def n_documents(self) -> int:
        """Count the documents."""
        return sum(part.n_documents for part in self.parts)


class Wanted(NamedTuple):
    """What is counted of corpora.

    Attributes:
        layer: words, forms, lemmas or parts of speech.
        languages: codes; none: all.
        asked: layers in which words are looked for.
    """

    layer: Layer
    languages: Sequence[str] = ()
    asked: tuple[Layer, ...] = ()

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Name the layers without which a corpus is of no use."""
        return self.layer, *self.asked


class Chosen(NamedTuple):
    """Corpora that are asked about.

    Attributes:
        parts: those that are indexed.
        not_indexed: ids of the others.
        notes: sentences about how words were cut.
    """

    parts: tuple[Part, ...]
    not_indexed: tuple[int, ...]
    notes: tuple[str, ...]


def choose_parts(
    shelf: WordShelf, corpora: Sequence[CorpusRow], wanted: Wanted, opened: Opener
) -> Chosen:
    """Open what is counted in corpora; those without lemmas are left out for others.

    Args:
        shelf: of the project.
        corpora: whole ones, or parts.
        wanted: what is counted of them.
        opened: gives the index of a corpus; None: it is not indexed.

    Raises:
        UserError: lemmas or parts of speech are counted, and no corpus has them.
    """
    parts: list[Part] = []
    missing: list[int] = []
    lacking: list[tuple[str, WordIndex]] = []
    notes: dict[str, None] = {}
    for corpus in corpora:
        mask = chosen_mask(shelf, corpus, wanted.languages)
        if mask is not None and not mask.any():
            continue
        index = opened(corpus)
        if index is None:
            missing.append(corpus.id)
        elif not all(map(index.has, wanted.layers)):
            lacking.append((corpus.name, index))
        else:
            layer = index.layer(wanted.layer)
            documents = _documents(shelf.project, corpus, mask)
            parts.append(Part(index, layer, mask, *documents))
            notes |= dict.fromkeys(index.notes)
    if lacking and not parts:
        for needed in wanted.layers:
            lacking[0][1].layer(needed)  # says which there is not
    if lacking:
        names = ", ".join(name for name, _ in lacking)
        lack = " or ".join(
            NAMES_OF_GIVEN[needed]
            for needed in dict.fromkeys(wanted.layers)
            if needed in NAMES_OF_GIVEN
        )
        notes[f"Left out, since they have no {lack}: {names}."] = None
    return Chosen(tuple(parts), tuple(missing), tuple(notes))


def index_opener(project: Project, report: Report) -> Opener:
    """Give what opens indexes for a task: each once, and made where there is none."""
    opened: dict[int, WordIndex] = {}

    def open_once(corpus: CorpusRow) -> WordIndex:
        if corpus.id not in opened:
            opened[corpus.id] = open_index(project, corpus, report)
        return opened[corpus.id]

    return open_once


def share_ids(parts: Sequence[Part]) -> Shared:
    """Give parts the same ids: those of one corpus keep its own."""
    if len({id(part.layer.lexicon) for part in parts}) == 1:
        return Shared(tuple(parts), parts[0].layer.lexicon)
    listed = [part.layer.lexicon.all_items() for part in parts]
    items, _ = sort_items(list(dict.fromkeys(chain.from_iterable(listed))))
    ids = {item: place for place, item in enumerate(items)}
    shared = [
        part._replace(ids=np.fromiter(map(ids.__getitem__, some), np.int32, len(some)))
        for part, some in zip(parts, listed, strict=True)
    ]
    return Shared(tuple(shared), Lexicon(pack_items(items)))


def count_items(shared: Shared, report: Report) -> IntArray:
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


def token_places(part: Part) -> IntArray:
    """Give the places of the tokens that take part: int64 (t,), rising."""
    starts = part.words.starts[:-1]
    begins = starts if part.mask is None else starts[part.mask]
    lengths = part.lengths
    shifts = begins - (np.cumsum(lengths) - lengths)
    return np.repeat(shifts, lengths) + np.arange(int(lengths.sum()))


def _documents(
    project: Project, corpus: CorpusRow, mask: NDArray[np.bool_] | None
) -> tuple[IdArray, int]:
    """Number the documents of the sentences that take part, and count them."""
    numbers = document_numbers(project.store, corpus)
    if mask is None:  # none is left out
        return numbers, int(numbers.max(initial=-1)) + 1
    is_used = np.bincount(numbers[mask]) > 0
    places = np.full(int(numbers.max()) + 1, -1, np.int32)
    places[: len(is_used)][is_used] = np.arange(np.count_nonzero(is_used))
    return places[numbers], int(np.count_nonzero(is_used))


def blank_id(lexicon: Lexicon) -> int:
    """Give the id of what the source does not say; -1: there is none."""
    return 0 if len(lexicon) and not lexicon.item(0) else -1


__all__ = [
    "STAGE",
    "Chosen",
    "Opener",
    "Part",
    "Shared",
    "Wanted",
    "blank_id",
    "choose_parts",
    "count_items",
    "index_opener",
    "share_ids",
    "token_places",
]
