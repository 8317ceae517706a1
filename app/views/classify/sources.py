"""Labelled corpora and pairs for training classifiers, and suggestions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import ceil, floor
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication
from sqlalchemy import Engine

from app.engine.store.corpora import (
    CorpusRow,
    corpus_of,
    first_sentence_id,
    position_of,
)
from app.engine.store.labels import list_labelled
from app.engine.store.sentences import has_links, read_sentences
from app.engine.store.subcorpora import SubcorpusRow
from app.languages import SET_SIGN, language_name, primary_language
from app.params.classify import PAIR_SIGN, EvaluateTransfer, HeadName
from app.views.client.labels import CorpusLabels
from app.views.client.project_reader import ProjectReader
from app.views.widgets.corpus_choices import (
    SUBCORPUS_ID_PREFIX,
    describe_corpus,
    describe_subcorpus,
    list_parts,
    name_corpus,
    name_subcorpus,
)
from app.views.widgets.number_format import pluralize

_tr = partial(QCoreApplication.translate, "classify")

DEFAULT_LANGUAGE = "en"  # preferred training language
STS_RANGE = (0.0, 5.0)  # the scale of semantic textual similarity
LabelCounts = Mapping[int, CorpusLabels]


class LabelledSource(NamedTuple):
    """Rows for training or testing: a corpus, or two corpora whose rows are pairs.

    Attributes:
        key: key in commands: Letters, or A+B.
        corpora: the corpus of the first texts and, for pairs, of the second texts.
        title: display title; empty: derived from the corpora.
    """

    key: str
    corpora: tuple[CorpusRow, ...]
    title: str = ""

    @property
    def id(self) -> int:
        """Id of the first corpus, which has the labels."""
        return self.corpora[0].id

    @property
    def name(self) -> str:
        """The name: Letters, or A + B."""
        return f" {PAIR_SIGN} ".join(row.name for row in self.corpora)

    @property
    def language(self) -> str:
        """The code of the first texts' language."""
        return self.corpora[0].language

    @property
    def is_of_pairs(self) -> bool:
        """Return whether each row has two texts."""
        return len(self.corpora) > 1


def labelled_sources(project: ProjectReader) -> list[LabelledSource]:
    """Return the sources with labels, English first."""
    labelled = list_labelled(project.store)
    found = [one for one in list_sources(project) if one.id in labelled]
    return sorted(
        found, key=lambda one: primary_language(one.language) != DEFAULT_LANGUAGE
    )


def part_sources(
    project: ProjectReader, wholes: Iterable[LabelledSource] | None = None
) -> list[LabelledSource]:
    """Return sub-corpora as sources; for pairs, sub-corpora of the first texts.

    Args:
        wholes: sources of the sub-corpora; None: all sources with labels.
    """
    rows = [row for row in project.subcorpora if len(row.counts) == 1]
    found = labelled_sources(project) if wholes is None else list(wholes)
    return [
        _part_of(project, whole, row)
        for row in rows
        for whole in found
        if whole.id in row.counts
    ]


def list_sources(project: ProjectReader) -> list[LabelledSource]:
    """Return all sources; both sides of pairs that are not translations form one."""
    sources: list[LabelledSource] = []
    for row in project.corpora:
        last = sources[-1] if sources else None
        is_side = last is not None and _are_pairs(project, last.corpora, row)
        if last is not None and is_side:
            sources[-1] = _make_source(project.corpora, (*last.corpora, row))
        else:
            sources.append(_make_source(project.corpora, (row,)))
    return sources


def source_of(project: ProjectReader, corpus: CorpusRow) -> LabelledSource:
    """Return the source of a corpus: the corpus itself, or pairs that contain it."""
    for one in list_sources(project):
        if corpus.id in [row.id for row in one.corpora]:
            return one
    return _make_source(project.corpora, (corpus,))


def find_source(project: ProjectReader, key: str) -> LabelledSource | None:
    """Find a source by its key in commands; None if missing or a file."""
    names = (key, *key.split(PAIR_SIGN)[:1])
    sources = list_sources(project)
    part = next((one for one in part_sources(project) if one.key == key), None)
    if part is not None:
        return part
    for name in names:
        for one in sources:
            if name in (one.key, one.corpora[0].name, str(one.id)):
                return one
    return None


def describe_source(one: LabelledSource) -> str:
    """Describe a source for a selector: Hafenbriefe · German · 240."""
    if one.title:
        return one.title
    if not one.is_of_pairs:
        return describe_corpus(one.corpora[0])
    n = pluralize(one.corpora[0].n_sentences, _tr("1 pair"), _tr("{n} pairs"))
    languages = [language_name(row.language) for row in one.corpora]
    return " · ".join([one.name, f" {PAIR_SIGN} ".join(dict.fromkeys(languages)), n])


def describe_scores(found: CorpusLabels) -> str:
    """Describe the scores: scores from 0 to 5."""
    scores = [float(name) for name in found.classes]
    words = _tr("scores from {low:g} to {high:g}")
    return words.format(low=min(scores), high=max(scores))


def score_bounds(scores: Iterable[str]) -> tuple[float, float]:
    """Return the scale of scores: 0…5, 0…1, or the range that contains them all."""
    values = [float(score) for score in scores]
    low, high = min(values, default=0.0), max(values, default=5.0)
    if low >= 0 and high <= STS_RANGE[1]:
        return (0.0, 1.0) if high <= 1 else STS_RANGE
    return float(floor(low)), float(ceil(high))


def write_tests(
    chosen: Sequence[LabelledSource], given: Sequence[str] = ()
) -> list[str]:
    """Format sources as tests, LANGUAGE=ROWS, numbering repeated languages.

    Args:
        given: tests as previously written, which are not changed.
    """
    known = {test.partition("=")[2]: test for test in given}
    taken = {test.partition("=")[0] for test in given}
    places = []
    for one in chosen:
        name, n = one.language, 1
        while name in taken:
            n += 1
            name = f"{one.language}{SET_SIGN}{n}"
        places.append(known.get(one.key) or f"{name}={one.key}")
        taken.add(places[-1].partition("=")[0])
    return places


def pair_sources(project: ProjectReader) -> Iterator[LabelledSource]:
    """Return pairs of corpora that were imported from one file and have equal size."""
    for one in project.texts:
        for other in project.texts:
            is_later = one.id < other.id and one.source == other.source
            if is_later and one.n_sentences == other.n_sentences:
                yield _make_source(project.corpora, (one, other))


def read_second_texts(
    store: Engine, ids: Sequence[int], others: Mapping[int, int]
) -> dict[int, str]:
    """Read the second texts of pairs, by the ids of the first ones.

    Args:
        ids: ids of first texts.
        others: corpora of the second texts, by corpora of the first.
    """
    wanted = {
        id_: first_sentence_id(others[corpus_of(id_)]) + position_of(id_)
        for id_ in ids
        if others.get(corpus_of(id_))
    }
    found = read_sentences(store, list(wanted.values()))
    pairs = zip(wanted, found, strict=True)
    return {id_: sentence.text for id_, sentence in pairs if sentence is not None}


def _make_source(
    corpora: Sequence[CorpusRow], rows: tuple[CorpusRow, ...]
) -> LabelledSource:
    names = [name_corpus(corpora, row) for row in rows]
    if len(rows) > 1 and any(PAIR_SIGN in name for name in names):
        names = [str(row.id) for row in rows]
    return LabelledSource(PAIR_SIGN.join(names), rows)


def _part_of(
    project: ProjectReader, whole: LabelledSource, row: SubcorpusRow
) -> LabelledSource:
    """Return a sub-corpus as a source, with second texts for labelled pairs."""
    others = whole.corpora[1:]
    names = [name_subcorpus(project, row)]
    names += [name_corpus(project.corpora, other) for other in others]
    if others and any(PAIR_SIGN in name for name in names):
        names = [f"{SUBCORPUS_ID_PREFIX}{row.id}", *(str(other.id) for other in others)]
    parts = [one._replace(name=row.name) for one in list_parts(project, row)]
    return LabelledSource(
        PAIR_SIGN.join(names), (*parts, *others), describe_subcorpus(row)
    )


def _are_pairs(
    project: ProjectReader, before: tuple[CorpusRow, ...], row: CorpusRow
) -> bool:
    """Return whether two corpora are sides of pairs that are not translations."""
    one = before[0]
    is_next = len(before) == 1 and row.id == one.id + 1
    is_of_one_run = row.run_id is not None and row.run_id == one.run_id
    if not is_next or not is_of_one_run or row.n_sentences != one.n_sentences:
        return False
    return not has_links(project.store, one.id)


def share_classes(
    home: LabelledSource, other: LabelledSource, counts: LabelCounts
) -> bool:
    """Return whether sources share classes, according to known label counts."""
    if home.is_of_pairs != other.is_of_pairs:
        return False
    found, theirs = counts.get(home.id), counts.get(other.id)
    if found is None or theirs is None or home.id == other.id:
        return True
    if found.are_scores or theirs.are_scores:
        return found.are_scores and theirs.are_scores
    return bool(set(found.classes) & set(theirs.classes))


MIN_LANGUAGES = 2  # languages of a test


def suggest_transfer(
    project: ProjectReader, counts: LabelCounts | None = None
) -> EvaluateTransfer | None:
    """Suggest training on English and testing on all languages with its classes.

    The English test uses a different corpus than the training. If there is none,
    training rows that are linked as translations of test rows are held out; without
    links, the training set is tested by cross-validation.

    Args:
        counts: known label counts by corpus.
    """
    labelled = labelled_sources(project)
    for home in labelled:
        others = [one for one in labelled if share_classes(home, one, counts or {})]
        tests = {home.language: home} | {
            one.language: one for one in reversed(others) if one.id != home.id
        }
        if len(tests) >= MIN_LANGUAGES:
            return EvaluateTransfer(
                train=home.key,
                tests=tuple(write_tests(list(tests.values()))),
                language=home.language,
                head=suggest_head(home, counts or {}),
                apart=has_links(project.store, home.id),
            )
    return None


def suggest_head(one: LabelledSource, counts: LabelCounts) -> HeadName:
    """Return a suitable head for a source: single texts, pairs, or scored pairs."""
    if not one.is_of_pairs:
        return "logistic"
    found = counts.get(one.id)
    return "relatedness" if found is not None and found.are_scores else "nli"


def describe_suggestion(params: EvaluateTransfer) -> str:
    """Describe a suggestion: Train on English, test on twelve languages."""
    words = _tr("Train on {home}, test on {n} languages")
    n = _count_in_words(len(params.tests))
    return words.format(home=language_name(params.language), n=n)


def _count_in_words(n: int) -> str:
    names = {
        2: _tr("two"),
        3: _tr("three"),
        4: _tr("four"),
        5: _tr("five"),
        6: _tr("six"),
        7: _tr("seven"),
        8: _tr("eight"),
        9: _tr("nine"),
        10: _tr("ten"),
        11: _tr("eleven"),
        12: _tr("twelve"),
    }
    return names.get(n, f"{n:,}")
