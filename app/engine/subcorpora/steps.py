"""The sentences that each kind of query step selects, as masks."""

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from app.arrays import IdArray
from app.engine.project.active_sentences import subcorpus_positions
from app.engine.search.languages import matches_language
from app.engine.store.corpora import list_corpora, position_of
from app.engine.store.documents import DocumentRow, document_field_names, list_documents
from app.engine.store.labels import read_corpus_labels
from app.engine.store.lookup import find_corpora
from app.engine.store.pairs.sets import list_pair_sets
from app.engine.store.schema import CORPUS_STRIDE
from app.engine.store.sentences import iterate_texts, read_integers, read_languages
from app.engine.subcorpora.context import StepContext
from app.engine.subcorpora.step_cache import Mask, SelectedRows
from app.errors import UserError
from app.languages import parse_language
from app.params.query_steps import (
    ContainsStep,
    DocumentStep,
    FieldStep,
    LabelStep,
    LanguageStep,
    LengthStep,
    NearStep,
    QueryStep,
    RegexStep,
    SampleStep,
    TranslatedStep,
    WithinStep,
    is_date,
    parse_date_range,
    parse_range,
)

TEXTS_PER_REPORT = 500  # sentences between two checks for a newer query
WILDCARD = "*"  # in the name of a document or the value of a field


def select_sentences(
    context: StepContext, left: Sequence[SelectedRows], step: QueryStep
) -> Iterator[Mask] | list[Mask]:
    """Return masks of the sentences that a step selects: bool (m,) per corpus.

    Raises:
        UserError: the step can't be applied to these corpora.
    """
    match step:
        case FieldStep():
            return _by_documents(context, left, _field_test(context, left, step))
        case DocumentStep():
            return _by_documents(context, left, _document_test(context, left, step))
        case ContainsStep():
            return _words(context, left, step)
        case RegexStep():
            return _regex(context, left, step)
        case LanguageStep():
            code = parse_language(step.code).code
            return [_in_language(context, part, code) for part in left]
        case LengthStep():
            return (_of_length(context, part, step) for part in left)
        case NearStep():
            from app.engine.subcorpora.similarity_step import select_similar

            return select_similar(context, left, step)
        case LabelStep():
            return (_labelled(context, part, step.name) for part in left)
        case TranslatedStep():
            return _translated(context, left, step)
        case WithinStep():
            return _within(context, left, step)
        case SampleStep():
            return _sampled(left, step)


def _by_documents(
    context: StepContext,
    left: Sequence[SelectedRows],
    is_chosen: Callable[[DocumentRow], bool],
) -> Iterator[Mask]:
    for part in left:
        mask = np.zeros(part.corpus.n_sentences, bool)
        for row in list_documents(context.project.store, part.corpus.id):
            if is_chosen(row):
                mask[row.first : row.first + row.n_sentences] = True
        yield mask[part.positions]


def _documents(context: StepContext, left: Sequence[SelectedRows]) -> list[DocumentRow]:
    """List the documents of the corpora.

    Raises:
        UserError: no corpus has documents.
    """
    store = context.project.store
    rows = [row for part in left for row in list_documents(store, part.corpus.id)]
    if not rows:
        names = ", ".join(part.corpus.name for part in left)
        raise UserError(
            f"{names} {'has' if len(left) == 1 else 'have'} no documents. Import the "
            "files again with their fields."
        )
    return rows


def _field_test(
    context: StepContext, left: Sequence[SelectedRows], step: FieldStep
) -> Callable[[DocumentRow], bool]:
    """Return a test of a field, whose name is matched ignoring case."""
    known = document_field_names(_documents(context, left))
    folded = step.name.casefold()
    names = [name for name in known if name == step.name]
    names = names or [name for name in known if name.casefold() == folded]
    if not names:
        there = ", ".join(known) or "none"
        raise UserError(f"No document has the field {step.name}. Fields: {there}.")
    bounds, dates = parse_range(step.value), parse_date_range(step.value)
    is_alike = _matcher(step.value)

    def test(row: DocumentRow) -> bool:
        values = [row.fields[name] for name in names if name in row.fields]
        if dates is not None:
            return any(_is_between(value.strip(), *dates) for value in values)
        if bounds is None:
            return any(is_alike(value) for value in values or [""])
        return any(bounds[0] <= number <= bounds[1] for number in _numbers(values))

    return test


def _is_between(value: str, first: str, last: str) -> bool:
    """Return whether a date is in a range; a year or month ends with its last day."""
    if not is_date(value):
        return False
    return first <= value and (not last or value[: len(last)] <= last)


def _numbers(values: Sequence[str]) -> Iterator[float]:
    """Yield the values that are numbers, and the years of dates."""
    for value in map(str.strip, values):
        try:
            yield float(value[:4] if is_date(value) else value.replace(",", "."))
        except ValueError:
            continue


def _document_test(
    context: StepContext, left: Sequence[SelectedRows], step: DocumentStep
) -> Callable[[DocumentRow], bool]:
    _documents(context, left)
    is_alike = _matcher(step.name)
    return lambda row: is_alike(row.name)


def _matcher(wanted: str) -> Callable[[str], bool]:
    """Return a test of whether a text matches, ignoring case; * matches anything."""
    parts = wanted.casefold().strip().split(WILDCARD)
    pattern = re.compile(".*".join(map(re.escape, parts)), re.DOTALL)
    return lambda text: pattern.fullmatch(text.casefold().strip()) is not None


def _words(
    context: StepContext, left: Sequence[SelectedRows], step: ContainsStep
) -> Iterator[Mask]:
    from app.engine.words.patterns import find_places, parse_pattern

    pattern = parse_pattern(step.text)
    wanted = [part.corpus for part in left if len(part.positions)]
    indexes = dict(
        zip([row.id for row in wanted], context.indexes(wanted), strict=True)
    )
    for part in left:
        mask = np.zeros(part.corpus.n_sentences, bool)
        index = indexes.get(part.corpus.id)
        if index is not None:
            mask[index.sentence_of(find_places(index, pattern)[0])] = True
        yield mask[part.positions]


def _regex(
    context: StepContext, left: Sequence[SelectedRows], step: RegexStep
) -> Iterator[Mask]:
    from app.engine.words.expressions import (
        MatchSpans,
        ScanLimits,
        compile_expression,
        find_spans,
    )

    expression = compile_expression(step.pattern, case=False)
    for part in left:
        found, mask = MatchSpans(), np.zeros(part.corpus.n_sentences, bool)
        wanted = mask.copy()
        wanted[part.positions] = True
        limits = ScanLimits(part.corpus.name, only_first=True)
        n_done = 0
        for page in iterate_texts(context.project.store, part.corpus.id):
            texts = [(position_of(id_), text) for id_, text in page]
            texts = [one for one in texts if wanted[one[0]]]
            for start in range(0, max(len(texts), 1), TEXTS_PER_REPORT):
                context.report.step(f"Searching {part.corpus.name}", n_done, len(mask))
                find_spans(
                    expression, texts[start : start + TEXTS_PER_REPORT], found, limits
                )
            n_done += len(page)
        mask[found.positions] = True
        yield mask[part.positions]


def _in_language(context: StepContext, part: SelectedRows, code: str) -> Mask:
    listed = read_languages(context.project.store, part.corpus.id)
    if listed is None:
        is_in = matches_language(part.corpus.language, [code])
        return np.full(len(part.positions), is_in)
    chosen = [one for one in np.unique(listed) if matches_language(str(one), [code])]
    return np.isin(listed[part.positions], chosen)


def _of_length(context: StepContext, part: SelectedRows, step: LengthStep) -> Mask:
    lengths = read_integers(context.project.store, part.corpus.id, "length")
    own = lengths[part.positions]
    return (own >= step.min) & (own <= step.max)


def _labelled(context: StepContext, part: SelectedRows, name: str) -> Mask:
    labels = read_corpus_labels(context.project.store, part.corpus.id)
    mask = np.zeros(part.corpus.n_sentences, bool)
    mask[[index for index, own in labels.items() if not name or own == name]] = True
    return mask[part.positions]


def _translated(
    context: StepContext, left: Sequence[SelectedRows], step: TranslatedStep
) -> list[Mask]:
    """Select by links and alignments, or with a verdict by accepted pairs."""
    from app.engine.words.equivalents.pairs import (
        PairIds,
        join_pairs,
        read_linked,
        read_set,
    )

    store = context.project.store
    if step.accepted:
        sets = [read_set(store, row, accepted=True) for row in list_pair_sets(store)]
        nothing = PairIds(*(np.empty(0, np.int64) for _ in range(4)))
        pairs = join_pairs([nothing, *sets])
    else:
        pairs = read_linked(store)
    known = _eligible(context, step.into)
    found = [np.empty(0, np.int64)]
    for way in (pairs, pairs.turned()):
        is_there = _are_in(way.targets, known)
        sources, sizes = way.sources[is_there], way.n_sources[is_there]
        starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
        found.append(np.repeat(sources, sizes) + np.arange(int(sizes.sum())) - starts)
    ids = np.unique(np.concatenate(found))
    return [np.isin(part.ids, ids) for part in left]


def _eligible(context: StepContext, into: str) -> dict[int, Mask]:
    """Return which sentences may be a translation, by corpus: bool (n,)."""
    from app.engine.project.active_sentences import is_active

    code = parse_language(into).code if into else ""
    known = {}
    for corpus in list_corpora(context.project.store):
        everything = np.arange(corpus.n_sentences)
        mask = is_active(context.project, corpus, everything)
        if code:
            mask &= _in_language(context, SelectedRows(corpus, everything), code)
        known[corpus.id] = mask
    return known


def _are_in(ids: IdArray, known: dict[int, Mask]) -> Mask:
    """Return which sentences are among some of each corpus: bool (p,)."""
    found = np.zeros(len(ids), bool)
    corpora = ids // CORPUS_STRIDE
    for id_, mask in known.items():
        is_its = corpora == id_
        found[is_its] = mask[position_of(ids[is_its])]
    return found


def _within(
    context: StepContext, left: Sequence[SelectedRows], step: WithinStep
) -> list[Mask]:
    rows = find_corpora(context.project.store, [step.name])
    parts = {row.id: row for row in rows if row.subcorpus}
    if not parts:
        raise UserError(f"{step.name} is not a sub-corpus.")
    return [
        np.isin(
            part.positions, subcorpus_positions(context.project, parts[part.corpus.id])
        )
        if part.corpus.id in parts
        else np.zeros(len(part.positions), bool)
        for part in left
    ]


def _sampled(left: Sequence[SelectedRows], step: SampleStep) -> list[Mask]:
    sizes = [len(part.positions) for part in left]
    mask = np.zeros(sum(sizes), bool)
    random = np.random.default_rng(step.seed)
    n = min(step.n, len(mask))
    mask[random.choice(len(mask), n, replace=False)] = True
    return np.split(mask, np.cumsum(sizes))[:-1]  # without corpora: none
