"""Every task on a sub-corpus, and on corpora with hidden sentences: who takes part."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import insert

from app.engine.classify.labelled_rows import read_labelled
from app.engine.edits.journal import apply_edit
from app.engine.evaluation.aligned_texts import read_linked_corpora
from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.project.runs import perform_run, queue_run
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store import schema
from app.engine.store.arrays import map_array
from app.engine.store.corpora import first_sentence_id
from app.engine.store.lookup import find_corpora
from app.engine.training.held_out import normal_hashes, read_held_out
from app.engine.training.preparation import write_linked_pairs
from app.errors import UserError
from app.params import ALL_PARAMS, build_params, command_name
from app.params.training.encoder import TrainEncoder
from app.protocol.edits.corpora import HideSentences, ShowSentences
from app.protocol.queries.classify import LabelOrderQuery, PredictionsQuery
from app.protocol.queries.search import KeywordQuery, NearestQuery, OrderQuery
from tests.engine.encoders.tiny import save_tiny
from tests.engine.search.made import add_corpus

N = 12
INSIDE = [0, 1, 2, 5, 6, 7, 8]  # positions that take part, in either corpus
OUTSIDE = sorted(set(range(N)) - set(INSIDE))
WORDS = ["harbour", "mountain", "kitchen", "letter", "window", "garden"]
TEXTS = {
    code: [f"{code} {WORDS[i % 6]} number {i} {WORDS[i // 6]} word" for i in range(N)]
    for code in ("one", "two")
}
KINDS = {command_name(kind): kind for kind in ALL_PARAMS}


class Case:
    """A project in which some sentences take part; `source`, `target` name them."""

    def __init__(self, project: Project, source: str, target: str):
        self.project, self.source, self.target = project, source, target
        self.out = project.folder.parent

    def run(self, task: str, **fields: Any) -> dict[str, Any]:
        params = build_params(KINDS[task], {"encoder": "tiny", **fields})
        return perform_run(
            self.project, params, Report(run=queue_run(self.project, params))
        )

    def ids(self, answer: Any) -> set[int]:
        file = answer["file"] if isinstance(answer, dict) else answer.file
        return set(map_array(self.project.folder / file).tolist())

    def ask(self, query: Any) -> Any:
        return answer_query(SearchSession(self.project), query)

    def chosen(self) -> Any:
        """Return the corpora, or the sub-corpora, as questions name them."""
        is_part = self.source != "one"
        return {"subcorpora" if is_part else "corpora": (1, 2)}


def _fill(project: Project) -> None:
    save_tiny(project.folder / "encoders" / "tiny")
    for name, code in (("one", "en"), ("two", "de")):
        add_corpus(project, name, code, TEXTS[name])
    with project.store.begin() as connection:
        for i in range(N):
            ends = {
                "source_id": first_sentence_id(1) + i,
                "target_id": first_sentence_id(2) + i,
            }
            connection.execute(insert(schema.link).values(**ends, kind="imported"))
            label = {"class_name": "ab"[i % 2], "who": "", "created_at": 0.0}
            row = {"sentence_id": first_sentence_id(1) + i, **label}
            connection.execute(insert(schema.label).values(**row))


@pytest.fixture(scope="module", params=["sub-corpus", "hidden"])
def case(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Case]:
    folder = tmp_path_factory.mktemp("m")
    with create_project(folder / "p.isogloss") as project:
        _fill(project)
        case = Case(project, "one", "two")
        case.run("encode", corpora=["one", "two"])
        train = {"train": ["one"], "name": "ab"}
        case.run("train-classifier", **train)
        case.run("classify", corpora=["one", "two"], classifier="ab")
        if request.param == "hidden":
            ids = tuple(first_sentence_id(c) + i for c in (1, 2) for i in OUTSIDE)
            apply_edit(project, HideSentences(sentences=ids), lambda *_: None)
        else:
            numbers = "|".join(map(str, INSIDE))
            for name in ("one", "two"):
                steps = [rf"regex number ({numbers})\b"]
                part = {"corpora": [name], "steps": steps, "name": f"part of {name}"}
                case.run("make-subcorpus", **part)
            case = Case(project, "part of one", "part of two")
        yield case


def _both(positions: list[int]) -> set[int]:
    return {first_sentence_id(c) + i for c in (1, 2) for i in positions}


def _ids_of_texts(text: str) -> set[int]:
    """Find whose texts stand in a file."""
    return {
        first_sentence_id(c) + i
        for c, name in ((1, "one"), (2, "two"))
        for i, line in enumerate(TEXTS[name])
        if line in text
    }


def _search(case: Case) -> set[int]:
    both = [case.source, case.target]
    found = case.run("search", text="harbour letter", corpora=both, k=50)
    assert found["n_searched"] == 2 * len(INSIDE)
    return {hit["sentence"] for hit in found["hits"]}


def _search_words(case: Case) -> set[int]:
    both = [case.source, case.target]
    found = case.run("search", text="number", corpora=both, k=50, words=True)
    assert found["n_searched"] == 2 * len(INSIDE)
    return {hit["sentence"] for hit in found["hits"]}


def _ask_nearest(case: Case) -> set[int]:
    query = NearestQuery(text="harbour", k=50, encoder="tiny", **case.chosen())
    return {hit.sentence for hit in case.ask(query).hits}


def _ask_words(case: Case) -> set[int]:
    query = KeywordQuery(text="numb*", k=50, **case.chosen())
    return {hit.sentence for hit in case.ask(query).hits}


def _order(case: Case) -> set[int]:
    query = OrderQuery(order_by="text", find="word", **case.chosen())
    return case.ids(case.ask(query))


def _ends_of_pairs(case: Case) -> set[int]:
    with case.project.store.connect() as connection:
        newest = connection.exec_driver_sql("SELECT max(id) FROM mining").scalar()
        rows = connection.exec_driver_sql(
            "SELECT source_id, n_source, target_id, n_target FROM pair "
            f"WHERE id >> 32 = {newest}"
        ).all()
    ids: set[int] = set()
    for source, n, target, m in rows:
        ids |= set(range(source, source + n)) | set(range(target, target + m))
    return ids


def _mine(case: Case) -> set[int]:
    sides = {"source": case.source, "target": case.target}
    found = case.run("mine-pairs", **sides, k=1, retrieval="forward", candidates=True)
    assert found["report"]["n_sources"] == len(INSIDE)
    assert found["name"] == f"{case.source} – {case.target}"
    return _ends_of_pairs(case) | _both(INSIDE)


def _score(case: Case) -> set[int]:
    found = case.run("score-pairs", source=case.source, target=case.target)
    assert found["pairs"] == len(INSIDE)
    return _ends_of_pairs(case)


def _align(case: Case) -> set[int]:
    found = case.run("align-documents", source=case.source, target=case.target)
    assert found["report"]["n_sources"] == len(INSIDE)
    return _ends_of_pairs(case)


def _map(case: Case) -> set[int]:
    fields = {"method": "pca", "corpora": [case.source, case.target]}
    case.run("project-map", **fields, name="m")
    file = max(
        (case.project.folder / "arrays").glob("map-*.ids.npy"),
        key=lambda path: path.stat().st_mtime_ns,
    )
    return set(map_array(file).tolist())


def _export_vectors(case: Case) -> set[int]:
    ids: set[int] = set()
    for name in (case.source, case.target):
        written = case.run("export-vectors", corpus=name, out=case.out / "vectors")
        lines = Path(written["ids"]).read_text(encoding="utf-8").splitlines()[1:]
        own = [int(line.split("\t")[0]) for line in lines]
        vectors = np.load(written["vectors"])
        assert len(vectors) == len(own) == written["n"]
        ids |= set(own)
    return ids


def _coverage(case: Case) -> set[int]:
    found = case.run("measure-coverage", corpora=[case.source, case.target])
    assert {row["n"] for row in found["languages"]} == {len(INSIDE)}
    return _both(INSIDE)


def _linked_texts(case: Case) -> set[int]:
    texts = read_linked_corpora(case.project, [case.source, case.target]).texts
    return _ids_of_texts("\n".join(line for lines in texts.values() for line in lines))


def _training_pairs(case: Case) -> set[int]:
    names = [case.source, case.target]
    files = write_linked_pairs(case.project, names, case.out / "pairs", Report())
    return _ids_of_texts("".join(file.read_text(encoding="utf-8") for file in files))


def _export_links(case: Case) -> set[int]:
    file = case.out / "links.tsv"
    sides = {"source": case.source, "target": case.target}
    params = build_params(
        KINDS["export-pairs"], {**sides, "out": file, "replace": True}
    )
    perform_run(case.project, params, Report(run=queue_run(case.project, params)))
    return _ids_of_texts(file.read_text(encoding="utf-8"))


def _kept_out(case: Case) -> set[int]:
    values = {"kept_out_corpora": [case.source, case.target], "name": "x"}
    params: TrainEncoder = build_params(TrainEncoder, values)
    kept = read_held_out(case.project, params, Report())
    texts = TEXTS["one"] + TEXTS["two"]
    marks = kept.marks(normal_hashes(texts)).tolist()
    ids = [first_sentence_id(c) + i for c in (1, 2) for i in range(N)]
    return {id_ for id_, mark in zip(ids, marks, strict=True) if mark}


def _labelled(case: Case) -> set[int]:
    rows = read_labelled(case.project, case.source)
    assert rows.n_unlabelled == 0
    return set(rows.places[:, 0].tolist())


def _label_order(case: Case) -> set[int]:
    ids = case.ids(case.ask(LabelOrderQuery(**case.chosen())))
    return ids | case.ids(
        case.ask(LabelOrderQuery(which="unlabelled", **case.chosen()))
    )


def _predictions(case: Case) -> set[int]:
    answer = case.ask(PredictionsQuery(classifier=1, **case.chosen()))
    assert sum(answer.n_by_class.values()) == 2 * len(INSIDE)
    return case.ids(answer)


def _classify(case: Case) -> set[int]:
    both = [case.source, case.target]
    found = case.run("classify", corpora=both, classifier="ab")
    assert [one["sentences"] for one in found["corpora"]] == [len(INSIDE)] * 2
    return _both(INSIDE)


def _export_predictions(case: Case) -> set[int]:
    file = case.out / "said.tsv"
    fields = {"corpora": [case.source, case.target], "out": file, "replace": True}
    params = build_params(
        KINDS["export-predictions"], {**fields, "classifier": "ab", "said_only": True}
    )
    perform_run(case.project, params, Report(run=queue_run(case.project, params)))
    return _ids_of_texts(file.read_text(encoding="utf-8"))


FIRST = {first_sentence_id(1) + i for i in INSIDE}


@pytest.mark.parametrize(
    ("takes_part", "wanted"),
    [
        (_search, None),
        (_search_words, None),
        (_ask_nearest, None),
        (_ask_words, None),
        (_order, None),
        (_mine, None),
        (_score, None),
        (_align, None),
        (_map, None),
        (_export_vectors, None),
        (_coverage, None),
        (_linked_texts, None),
        (_training_pairs, None),
        (_export_links, None),
        (_kept_out, None),
        (_labelled, FIRST),
        (_label_order, None),
        (_predictions, None),
        (_classify, None),
        (_export_predictions, None),
    ],
    ids=lambda one: getattr(one, "__name__", "").strip("_"),
)
def test_nobody_outside_takes_part(
    case: Case, takes_part: Callable[[Case], set[int]], wanted: set[int] | None
) -> None:
    assert takes_part(case) == (_both(INSIDE) if wanted is None else wanted)


def test_pairs_with_a_hidden_sentence_are_not_exported(case: Case) -> None:
    sides = {"source": "one", "target": "two", "k": 1, "retrieval": "forward"}
    shown = [first_sentence_id(c) + i for c in (1, 2) for i in OUTSIDE]
    apply_edit(case.project, ShowSentences(sentences=tuple(shown)), lambda *_: None)
    mining = case.run("mine-pairs", **sides, name="all of it")
    hide = HideSentences(sentences=(first_sentence_id(1) + 3,))
    if case.source == "one":
        hide = HideSentences(sentences=tuple(shown))
    apply_edit(case.project, hide, lambda *_: None)
    file = case.out / "mined.tsv"
    fields = {"pairs": str(mining["mining"]), "out": file, "replace": True}
    params = build_params(KINDS["export-pairs"], fields)
    result = perform_run(
        case.project, params, Report(run=queue_run(case.project, params))
    )
    assert result["left_out"]["a sentence is hidden"] >= 1
    gone = {
        TEXTS["one"][id_ & 0xFF] for id_ in hide.sentences if id_ < first_sentence_id(2)
    }
    assert not any(text in file.read_text(encoding="utf-8") for text in gone)


def test_what_needs_a_whole_corpus_says_so(case: Case) -> None:
    if case.source == "one":
        pytest.skip("corpora that are whole")
    file = case.out / "v.npy"
    np.save(file, np.zeros((N, 3), np.float32))
    values = {"corpus": case.source, "file": file, "encoder": "foreign"}
    params = build_params(KINDS["import-vectors"], values)
    with pytest.raises(UserError, match="Choose the corpus one"):
        perform_run(case.project, params, Report(run=queue_run(case.project, params)))
    told = case.run("encode", corpora=[case.source])["message"]
    assert "encoded whole: one" in told


def test_a_name_that_is_the_id_of_another_corpus_is_refused(tmp_path: Path) -> None:
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "2", "en", ["first"])
        add_corpus(project, "1", "en", ["second"])
        add_corpus(project, "1850", "en", ["third"])
        with pytest.raises(UserError, match=r"Write corpus:1 or corpus:2"):
            find_corpora(project.store, ["2"])
        named = ["corpus:1", "corpus:2", "1850", "3"]
        found = [find_corpora(project.store, [name])[0].id for name in named]
        assert found == [1, 2, 3, 3]
