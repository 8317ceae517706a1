"""Apply a sequence of filters to pairs, cache their masks, preview the result."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from app.engine.mining.filters import BitextTexts, Mask, apply_filter
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.arrays import map_array, write_array
from app.engine.store.corpora import list_corpora
from app.engine.store.pairs.sets import pair_ids, read_pair_set, read_pairs
from app.engine.store.sentences import read_sentences
from app.errors import ResourceError, UserError
from app.params.filters import Filter, format_filter, parse_recipe
from app.protocol.answers.pairs import FilterStep, RecipePreview
from app.protocol.queries.pairs import RecipeQuery

BLOCK = 500  # pairs between two checks for Cancel
MAX_IN_MEMORY = 64  # masks
MAX_FILES = 200
N_EXAMPLES = 20

ReadTexts = Callable[[int, int], BitextTexts]


class PairSet(NamedTuple):
    """Pairs to filter.

    Attributes:
        key: hash of the texts and languages of a list of pairs.
        n: number of pairs from the start of the list; the key does not depend on it.
        read: returns the texts of the pairs start … end - 1.
    """

    key: str
    n: int
    read: ReadTexts


class RecipeResult(NamedTuple):
    """The pairs that pass a recipe: bool (p,), and the effect of each filter."""

    kept: Mask
    steps: list[FilterStep]


class MaskCache:
    """A cache of filter results: in memory, and in a folder if there is one."""

    def __init__(self, folder: Path | None = None):
        """Create a cache; `folder` also stores the masks."""
        self._folder = folder
        self._masks: OrderedDict[str, Mask] = OrderedDict()

    def find(self, key: str) -> Mask | None:
        """Return a cached mask."""
        if key in self._masks:
            self._masks.move_to_end(key)
            return self._masks[key]
        if self._folder is None:
            return None
        try:
            mask: Mask = np.array(map_array(self._folder / f"{key}.npy"))
        except ResourceError:
            return None
        self._remember(key, mask)
        return mask

    def put(self, key: str, mask: Mask) -> None:
        """Cache a mask."""
        self._remember(key, mask)
        if self._folder is None:
            return
        write_array(self._folder / f"{key}.npy", mask)
        files = sorted(self._folder.glob("*.npy"), key=lambda f: f.stat().st_mtime)
        for file in files[:-MAX_FILES]:
            file.unlink(missing_ok=True)

    def _remember(self, key: str, mask: Mask) -> None:
        self._masks[key] = mask
        while len(self._masks) > MAX_IN_MEMORY:
            self._masks.popitem(last=False)


def run_recipe(
    pairs: PairSet, recipe: Sequence[Filter], cache: MaskCache, report: Report
) -> RecipeResult:
    """Apply filters in order.

    Raises:
        UserError: a filter can't be applied.
        Cancelled: the filters that finished are cached.
    """
    kept = np.ones(pairs.n, np.bool_)
    steps = []
    for chosen in recipe:
        line = format_filter(chosen)
        key = hashlib.sha256(f"{pairs.key}\n{line}".encode()).hexdigest()[:32]
        known = cache.find(key)
        was_known = known is not None and len(known) >= pairs.n
        if known is None or not was_known:
            known = _apply_to_new_pairs(pairs, chosen, known, report)
            cache.put(key, known)
        mask = known[: pairs.n]
        removed = np.nonzero(kept & ~mask)[0]
        kept = kept & mask
        steps.append(
            FilterStep(
                line,
                int(kept.sum()),
                len(removed),
                int((~mask).sum()),
                removed[:N_EXAMPLES].tolist(),
                was_known,
            )
        )
    return RecipeResult(kept, steps)


def texts_set(texts: BitextTexts) -> PairSet:
    """Create a pair set from texts in memory."""
    digest = hashlib.sha256("\n".join(texts[2:]).encode())
    for side in (texts.sources, texts.targets):
        for text in side:
            digest.update(b"\0" + text.encode("utf-8", "surrogatepass"))

    def read(start: int, end: int) -> BitextTexts:
        return BitextTexts(texts[0][start:end], texts[1][start:end], *texts[2:])

    return PairSet(digest.hexdigest(), len(texts.sources), read)


def _apply_to_new_pairs(
    pairs: PairSet, chosen: Filter, known: Mask | None, report: Report
) -> Mask:
    """Apply a filter to the pairs that its cached mask does not cover."""
    stage = f"Filtering: {format_filter(chosen)}"
    mask = np.ones(pairs.n, np.bool_)
    n_known = 0 if known is None else len(known)
    mask[:n_known] = True if known is None else known
    for start in range(n_known, pairs.n, BLOCK):
        report.step(stage, start, pairs.n)
        end = min(start + BLOCK, pairs.n)
        mask[start:end] = apply_filter(pairs.read(start, end), chosen)
    report.step(stage, pairs.n, pairs.n)
    return mask


MAX_STEPS = 100  # of 600 bytes each


def preview_recipe(
    project: Project, query: RecipeQuery, cache: MaskCache
) -> RecipePreview:
    """Apply each filter to a sample spread evenly over the scores.

    Raises:
        UserError: the pair set does not exist, or a filter can't be read or applied.
    """
    recipe = parse_recipe(query.filters)
    if len(recipe) > MAX_STEPS:
        raise UserError(f"A recipe has at most {MAX_STEPS} filters.")
    row = read_pair_set(project.store, query.mining)
    if row is None:
        raise UserError("This pair set is not in the project any more.")
    ids = pair_ids(row)
    indices = np.unique(np.linspace(0, max(len(ids) - 1, 0), query.sample).astype(int))
    sample = ids[indices[: len(ids)]]
    pairs = [pair for pair in read_pairs(project.store, sample.tolist()) if pair]
    languages = {corpus.id: corpus.language for corpus in list_corpora(project.store)}
    texts = BitextTexts(
        _texts(project, [pair.source_id for pair in pairs]),
        _texts(project, [pair.target_id for pair in pairs]),
        row.source_language or languages.get(row.source_corpus_id, ""),
        row.target_language or languages.get(row.target_corpus_id, ""),
    )
    result = run_recipe(texts_set(texts), recipe, cache, Report())
    steps = [
        msgspec.structs.replace(
            step, examples=[pairs[index].id for index in step.examples]
        )
        for step in result.steps
    ]
    return RecipePreview(len(pairs), steps)


def _texts(project: Project, ids: list[int]) -> list[str]:
    found = read_sentences(project.store, ids)
    return [row.text if row else "" for row in found]
