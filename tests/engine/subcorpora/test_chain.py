"""Chains of queries: lines, counts after each step, and what a slow loop chooses."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import insert

from app.engine.edits.journal import apply_edit
from app.engine.process.queries import answer_query
from app.engine.process.session import ProjectSession
from app.engine.project.active_sentences import active_positions
from app.engine.project.project import Project, create_project, open_project
from app.engine.runtime.report import Report, SilentSink
from app.engine.search.session import SearchSession
from app.engine.store import schema
from app.engine.store.arrays import map_array
from app.engine.store.corpora import first_sentence_id, list_corpora
from app.engine.store.lookup import find_corpora, find_corpus
from app.engine.store.sentences import read_sentences
from app.engine.store.subcorpora import list_subcorpora, subcorpus_ids
from app.engine.subcorpora import step_cache
from app.engine.subcorpora.context import StepContext
from app.engine.subcorpora.execution import run_steps
from app.engine.subcorpora.step_cache import cached_steps
from app.engine.tasks.encode import encode
from app.engine.tasks.make_subcorpus import MakeSubcorpusResult, make_subcorpus
from app.errors import Cancelled, UserError
from app.params import build_params
from app.params.corpora import MakeSubcorpus
from app.params.query_steps import (
    ALL_STEPS,
    ContainsStep,
    FieldStep,
    LabelStep,
    LengthStep,
    NearStep,
    QueryStep,
    RegexStep,
    SampleStep,
    TranslatedStep,
    format_step,
    parse_step,
    parse_steps,
)
from app.params.vectors import Encode
from app.protocol.edits.corpora import HideSentences
from app.protocol.edits.general import RenameCorpus, Undo
from app.protocol.queries.words import StepsQuery
from tests.engine.search.made import WordEncoder, add_corpus, use_encoder

LETTERS = ["the sea is calm", "the seal sleeps", "A boat at sea", "bread and tea", "x"]
BRIEFE = ["das Meer", "die Robbe", "Boot auf dem Meer", "Brot und Tee"]


@pytest.fixture(autouse=True, scope="module")
def encoder() -> Iterator[WordEncoder]:
    encoder = WordEncoder(dim=32)
    with pytest.MonkeyPatch.context() as patch:
        use_encoder(patch, encoder)
        yield encoder


def _fill(project: Project) -> None:
    add_corpus(project, "letters", "en", LETTERS)
    add_corpus(project, "Briefe", "de", BRIEFE)
    documents = [
        (1, 0, 2, "one", '{"year":"1850", "author":"Anna", "date":"1850-06-30"}'),
        (1, 2, 2, "two", '{"year":"1871", "author":"Ben", "date":"1871-03-05"}'),
        (2, 0, 4, "drei", '{"year": "1890"}'),
    ]
    links = [(first_sentence_id(1) + i, first_sentence_id(2) + i) for i in range(3)]
    with project.store.begin() as connection:
        for first, place, n, name, fields in documents:
            row = {"corpus_id": first, "first": place, "n_sentences": n, "name": name}
            connection.execute(insert(schema.document).values(**row, fields=fields))
        for source, target in links:
            row = {"source_id": source, "target_id": target, "kind": "imported"}
            connection.execute(insert(schema.link).values(**row))
        label = {"class_name": "water", "who": "", "created_at": 0.0}
        connection.execute(
            insert(schema.label).values(sentence_id=first_sentence_id(1), **label)
        )
    encode(project, Encode(corpora=("letters", "Briefe")), Report())


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with create_project(tmp_path_factory.mktemp("c") / "p.isogloss") as project:
        _fill(project)
        yield project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as project:
        _fill(project)
        yield project


def _texts(project: Project, *lines: str) -> list[str]:
    desk = StepContext(SearchSession(project), may_index=True)
    found = run_steps(desk, list_corpora(project.store), parse_steps(lines))
    rows = read_sentences(project.store, found.ids.tolist())
    return [row.text for row in rows if row is not None]


def _make(project: Project, **fields: Any) -> MakeSubcorpusResult:
    params: MakeSubcorpus = build_params(MakeSubcorpus, fields)
    return make_subcorpus(project, params, Report())


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("field author=anna", LETTERS[:2]),
        ("field year=1850..1871", LETTERS[:4]),
        ("field year=1872..", BRIEFE),
        ("field date=1850-06..1871", LETTERS[:4]),
        ("field date=1850..1870", LETTERS[:2]),
        ("field date=..1871-03-01", LETTERS[:2]),
        ("field date=1871-03..1871-03", LETTERS[2:4]),
        ("document t*", LETTERS[2:4]),
        ("words sea", [LETTERS[0], LETTERS[2]]),
        ("words sea*", LETTERS[:3]),
        ("words at sea", [LETTERS[2]]),
        ("regex ^.$", ["x"]),
        ("regex ^(?=.*sea)(?=.*boat)", [LETTERS[2]]),
        ("language de", BRIEFE),
        ("length min=16", []),
        ("label water", LETTERS[:1]),
        ("label", LETTERS[:1]),
        ("translated into=de", LETTERS[:3]),
        ("translated", LETTERS[:3] + BRIEFE[:3]),
        ("translated accepted=true", []),
        ("near text='bread tea' top=1", [LETTERS[3]]),
    ],
)
def test_a_step_leaves_what_it_says_and_turned_round_the_rest(
    shared: Project, line: str, wanted: list[str]
) -> None:
    everything = LETTERS + BRIEFE
    if line.startswith("length"):
        wanted = [text for text in everything if len(text) >= 16]
    assert _texts(shared, line) == wanted
    rest = [text for text in everything if text not in wanted]
    assert _texts(shared, f"not {line}") == rest


def _slow(step: QueryStep, texts: list[tuple[int, str]]) -> set[int]:
    """Choose by plain loops what a step would."""
    match step:
        case ContainsStep():
            head = step.text.rstrip("*").casefold()
            is_prefix = step.text.endswith("*")
            return {
                id_
                for id_, text in texts
                for word in text.casefold().split()
                if word == head or (is_prefix and word.startswith(head))
            }
        case RegexStep():
            return {id_ for id_, text in texts if step.pattern in text.casefold()}
        case LengthStep():
            return {id_ for id_, text in texts if step.min <= len(text) <= step.max}
        case FieldStep():
            years = {1: [1850, 1850, 1871, 1871], 2: [1890] * 4}
            low, _, high = step.value.partition("..")
            return {
                id_
                for id_, _ in texts
                for year in years[id_ >> 32][id_ & 0xFF : (id_ & 0xFF) + 1]
                if int(low) <= year <= int(high)
            }
        case LabelStep():
            return {first_sentence_id(1)}
        case TranslatedStep():
            return {first_sentence_id(c) + i for c in (1, 2) for i in range(3)}
    raise AssertionError(step)


STEPS = st.one_of(
    st.builds(ContainsStep, text=st.sampled_from(["sea", "se*", "meer", "the"])),
    st.builds(RegexStep, pattern=st.sampled_from(["e", "tea", "zz"])),
    st.builds(LengthStep, min=st.integers(0, 15), max=st.integers(15, 20)),
    st.builds(FieldStep, name=st.just("year"), value=st.just("1860..1900")),
    st.builds(LabelStep, name=st.just("water")),
    st.just(TranslatedStep()),
)


@settings(max_examples=40, deadline=None)
@given(steps=st.lists(st.tuples(STEPS, st.booleans()), max_size=4))
def test_a_chain_leaves_what_a_slow_loop_leaves(
    shared: Project, steps: list[tuple[Any, bool]]
) -> None:
    chain = [
        type(one)(
            **{f: getattr(one, f) for f in one.__struct_fields__ if f != "turned"},
            turned=turned,
        )
        for one, turned in steps
    ]
    desk = StepContext(SearchSession(shared), may_index=True)
    found = run_steps(desk, list_corpora(shared.store), chain)
    left = [(first_sentence_id(1) + i, text) for i, text in enumerate(LETTERS)]
    left += [(first_sentence_id(2) + i, text) for i, text in enumerate(BRIEFE)]
    counts = [len(left)]
    for step in chain:
        chosen = _slow(step, left)
        left = [row for row in left if (row[0] in chosen) != step.turned]
        counts.append(len(left))
    assert found.counts == counts
    assert found.ids.tolist() == [id_ for id_, _ in left]


@given(
    st.sampled_from(
        ["Anna", "a = b", "x 'y", 'die "See"', r"^\w+\s", "*ung", "not so"]
    ),
    st.booleans(),
)
def test_a_step_is_read_as_it_was_written(text: str, turned: bool) -> None:
    steps: list[QueryStep] = [
        FieldStep(name="the year", value=text, turned=turned),
        ContainsStep(text=text, turned=turned),
        RegexStep(pattern=text, turned=turned),
        NearStep(text=text, top=3, cosine=0.5, turned=turned),
        SampleStep(n=5, turned=turned),
        TranslatedStep(into="de", accepted=True, turned=turned),
        LengthStep(max=9, turned=turned),
    ]
    for step in steps:
        assert parse_step(format_step(step)) == step


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("wrods sea", "Unknown step 'wrods'"),
        ("field author", "NAME=VALUE"),
        ("length min=9 max=3", "above max"),
        ("field year=1890..1850", "1890 is above 1850"),
        ("field date=1890-06-30..1890-05", "1890-06-30 is after 1890-05"),
        ("near text=sea", "top=500 or cosine"),
        ("near text='sea", "can't be read"),
        ("sample 5", "not a parameter"),
        ("words", "1"),
    ],
)
def test_a_line_that_is_no_step_is_told_of(line: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        parse_step(line)
    assert len({one.__struct_config__.tag for one in ALL_STEPS}) == len(ALL_STEPS)


def test_a_sample_is_the_same_again_and_near_by_cosine_is_exact(
    shared: Project,
) -> None:
    assert _texts(shared, "sample n=4 seed=7") == _texts(shared, "sample n=4 seed=7")
    assert len(_texts(shared, "sample n=4 seed=7")) == 4
    encoder = WordEncoder(dim=32)
    vectors = encoder.encode([*LETTERS, *BRIEFE, "sea"])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    near = [
        text
        for text, cosine in zip(
            LETTERS + BRIEFE, vectors[:-1] @ vectors[-1], strict=True
        )
        if cosine >= 0.4
    ]
    assert near
    assert _texts(shared, "near text=sea cosine=0.4") == near


def test_a_question_leaves_out_what_can_not_be_done(shared: Project) -> None:
    desk = SearchSession(shared)
    steps = ("field place=x", "wrods", "language en", "regex (", "words sea")
    answer = answer_query(desk, StepsQuery(steps=steps))
    assert answer.counts == [9, 9, 9, 5, 5, 2]
    assert [bool(problem) for problem in answer.problems] == [
        *(True, True, False, True, False)
    ]
    ids = map_array(shared.folder / answer.file).tolist()
    assert ids == [first_sentence_id(1), first_sentence_id(1) + 2]


class Stages(SilentSink):
    """Notes what is done, and asks it to end at a stage."""

    def __init__(self, ends_at: str = ""):
        self.seen: list[str] = []
        self.report, self._ends_at = Report(self), ends_at

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        self.seen += [stage] if stage not in self.seen else []
        if stage == self._ends_at:
            self.report.cancel()


def test_only_the_steps_behind_an_edit_are_done_again(project: Project) -> None:
    desk = SearchSession(project)

    def ask(*steps: str, ends_at: str = "") -> tuple[list[int], list[str]]:
        stages = Stages(ends_at)
        answer = answer_query(desk, StepsQuery(steps=steps), stages.report)
        return answer.counts, stages.seen

    first, second, third = "label water", "length max=99", "near text=sea top=1"
    assert ask("not " + first, second) == ([9, 8, 8], ["not " + first, second])
    assert ask("not " + first, second, third) == ([9, 8, 8, 1], [third])
    assert ask("not " + first, "language de") == ([9, 8, 4], ["language de"])
    assert ask("wrods", "language de") == ([9, 9, 4], ["language de"])
    with pytest.raises(Cancelled):
        ask("not " + first, "language en", third, ends_at="language en")
    assert ask("not " + first, second, third) == ([9, 8, 8, 1], [])
    apply_edit(
        project, HideSentences(sentences=(first_sentence_id(1) + 4,)), lambda *_: None
    )
    assert ask("not " + first, second)[0] == [8, 7, 7]


def test_a_project_is_closed_though_a_chain_was_remembered(tmp_path: Path) -> None:
    desk = ProjectSession(create_project(tmp_path / "p.isogloss"))
    desk.ask(StepsQuery(steps=("length max=9",)), Report())
    desk.close()
    assert not list(desk.project.folder.glob("project.sqlite-*"))  # go with the last


def test_what_steps_left_is_kept_within_bounds(
    shared: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = SearchSession(shared)
    monkeypatch.setattr(step_cache, "MAX_BYTES", 3 * 9 * 8)
    for n in range(9, 0, -1):
        steps = (f"sample n={n}",)
        assert answer_query(desk, StepsQuery(steps=steps)).counts == [9, n]
    nothing = StepsQuery(steps=("sample n=3",), languages=("fi",))
    assert answer_query(desk, nothing).counts == [0, 0]  # no corpus at all
    assert len(cached_steps(desk)._kept) > 3
    assert cached_steps(desk)._n_bytes <= 3 * 9 * 8


def test_a_subcorpus_is_kept_found_and_made_anew(project: Project) -> None:
    folder = project.folder
    steps = ["words sea", "field year=1850..1900"]
    made = _make(project, corpora=["letters"], steps=steps, name="the sea")
    assert made.message == "2 of 5 sentences are in the sub-corpus the sea."
    assert [(one.step, one.left) for one in made.steps] == [
        (steps[0], 2),
        (steps[1], 2),
    ]
    corpus = find_corpus(project.store, "the sea")
    chosen = active_positions(project, corpus)
    assert chosen is not None
    assert (corpus.id, corpus.subcorpus, chosen.tolist()) == (1, 1, [0, 2])
    with pytest.raises(UserError, match="sub-corpus named 'the sea' already exists"):
        _make(project, steps=steps, name="the sea")
    inner = _make(project, corpora=["the sea"], steps=["regex calm"])
    assert inner.ids == [first_sentence_id(1)]
    own = {"corpora": ["the sea"], "steps": ["regex calm"], "name": "the sea"}
    with pytest.raises(UserError, match="can't be updated from itself"):
        _make(project, **own, again=True)
    apply_edit(
        project, HideSentences(sentences=(first_sentence_id(1),)), lambda *_: None
    )
    again = _make(project, name="the sea", again=True)
    assert again.sentences == 1
    project.close()
    with open_project(folder) as project:
        apply_edit(project, Undo(), lambda *_: None)
        (row,) = list_subcorpora(project.store)
        assert row.steps == tuple(steps)
        assert (subcorpus_ids(folder, row) - first_sentence_id(1)).tolist() == [0, 2]
        assert active_positions(project, corpus).tolist() == [2]  # type: ignore[union-attr]  # not all


def test_names_that_mean_two_things_are_told_of(project: Project) -> None:
    _make(project, steps=["language de"], name="sea")
    _make(project, steps=["length max=10"], name="short")
    with pytest.raises(UserError, match="corpus named 'letters' already exists"):
        _make(project, steps=["language de"], name="letters")
    with pytest.raises(UserError, match="both contain"):
        find_corpora(project.store, ["sea", "short"])
    with pytest.raises(UserError, match="2 corpora"):
        find_corpus(project.store, "short")
    whole = find_corpora(project.store, ["short", "letters"])
    assert [(row.id, row.subcorpus) for row in whole] == [(1, 0), (2, 2)]
    apply_edit(project, RenameCorpus(1, "sea"), lambda *_: None)
    with pytest.raises(
        UserError, match="A corpus and a sub-corpus are both named 'sea'"
    ):
        find_corpora(project.store, ["sea"])
    assert find_corpora(project.store, ["sub-corpus:1"])[0].subcorpus == 1
    with pytest.raises(UserError, match="leave no sentences"):
        _make(project, steps=["words nothing"], name="none")
    with pytest.raises(UserError, match="'all' needs at least one step"):
        _make(project, corpora=["Briefe"], name="all")
    copied = _make(project, corpora=["sub-corpus:1"], name="the same")
    assert copied.sentences == 4
    assert _make(project, corpora=["Briefe"]).sentences == 4, "it only counts"
