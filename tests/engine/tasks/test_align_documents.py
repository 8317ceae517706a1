"""Two corpora are aligned as documents, and kept as beads in the order of the text."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, insert, select

from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import position_of
from app.engine.store.pairs.sets import (
    first_pair_id,
    list_pair_sets,
    read_pair_integers,
    read_pairs,
)
from app.engine.store.pairs.texts import read_pair_texts
from app.engine.tasks.align_documents import AlignDocumentsResult, align_documents
from app.errors import Cancelled, UserError
from app.params import build_params
from app.params.mining import AlignDocuments
from tests.engine.search.made import WordEncoder, add_corpus

SOURCE = [
    "the boat sails at noon",
    "the harbour sleeps",
    "a cow looks over the fence",
    "nobody buys old nets",
    "the moon rises late tonight",
    "we drink tea",
    "and wait for letters",
]
TARGET = [
    "boat sails noon",
    "harbour sleeps",
    "cow looks over fence",
    "moon rises late tonight",
    "we drink tea and wait for letters",
    "printed somewhere else entirely",
]
SHAPES = ["1:1", "1:1", "1:1", "1:0", "1:1", "2:1", "0:1"]


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> WordEncoder:
    encoder = WordEncoder(dim=64)
    name = "app.engine.tasks.align_documents.load_encoder"
    monkeypatch.setattr(name, lambda *_, **__: encoder)
    return encoder


@pytest.fixture
def project(tmp_path: Path) -> Project:
    with create_project(tmp_path / "letters.isogloss") as project:
        add_corpus(project, "one", "de", SOURCE)
        add_corpus(project, "other", "en", TARGET)
        return project


def run(project: Project, **fields: Any) -> AlignDocumentsResult:
    values = {"source": "one", "target": "other", "skip": 0.7, **fields}
    return align_documents(project, build_params(AlignDocuments, values), Report())


def shapes(project: Project, mining: int) -> list[str]:
    ids = read_pair_integers(project.store, mining, "id").tolist()
    rows = [row for row in read_pairs(project.store, ids) if row is not None]
    return [f"{row.n_source}:{row.n_target}" for row in rows]


def test_beads_are_kept_in_the_order_of_the_documents(project: Project) -> None:
    result = run(project)
    assert shapes(project, result.mining) == SHAPES
    (row,) = list_pair_sets(project.store)
    assert (row.id, row.kind, row.n_pairs) == (result.mining, "aligned", 5)
    assert (result.report.n_source_alone, result.report.n_target_alone) == (1, 1)
    ids = read_pair_integers(project.store, row.id, "id")
    indices = [
        position_of(pair.source_id) + position_of(pair.target_id)
        for pair in read_pairs(project.store, ids.tolist())
        if pair is not None
    ]
    assert (ids - first_pair_id(row.id)).tolist() == indices
    assert result.message == "one – other (aligned): 5 links, 2 unlinked sentences."


def test_joined_sentences_are_encoded_as_they_are_read(project: Project) -> None:
    result = run(project)
    ids = read_pair_integers(project.store, result.mining, "id").tolist()
    joined = read_pair_texts(project.store, ids[5:6])[0]
    assert joined is not None
    assert joined.source.text == "we drink tea and wait for letters"
    assert joined.pair.cosine == pytest.approx(1)  # both sides have the same words
    means = (joined.pair.source_mean + joined.pair.target_mean) / 2
    assert joined.pair.score == pytest.approx(joined.pair.cosine - means)


def test_lines_are_those_of_the_file(project: Project) -> None:
    result = run(project, source_lines="1-3", target_lines=" 2 – 3 ")
    assert (result.report.n_sources, result.report.n_targets) == (3, 2)
    assert shapes(project, result.mining)[-2:] == ["1:1", "1:1"]
    ids = read_pair_integers(project.store, result.mining, "target_id")
    assert position_of(int(ids[-1])) == 2


def test_sentences_are_linked_one_by_one_if_that_is_asked_for(
    project: Project,
) -> None:
    lines = {"source_lines": "1-4", "target_lines": "2-5"}
    result = run(project, by_lines=True, **lines)
    assert shapes(project, result.mining) == ["1:1"] * 4
    ids = read_pair_integers(project.store, result.mining, "id").tolist()
    pairs = [row for row in read_pairs(project.store, ids) if row is not None]
    assert [position_of(one.source_id) for one in pairs] == [0, 1, 2, 3]
    assert [position_of(one.target_id) for one in pairs] == [1, 2, 3, 4]
    assert min(one.cosine for one in pairs) < 0.5  # some are no translations
    with pytest.raises(UserError, match=r"3 sentences here, and other 4\. To link"):
        run(project, by_lines=True, source_lines="1-3", target_lines="2-5")


def test_one_document_of_each_corpus_is_aligned(project: Project) -> None:
    columns = ("corpus_id", "first", "n_sentences", "name", "fields")
    with project.store.begin() as connection:
        for row in ((1, 0, 3, "May", "{}"), (1, 3, 4, "June", "{}")):
            values = dict(zip(columns, row, strict=True))
            connection.execute(insert(schema.document).values(values))
    result = run(project, source_document="June", target_lines="4-6")
    assert (result.report.n_sources, result.report.n_targets) == (4, 3)
    assert result.name == "one: June – other (aligned, lines all and 4–6)"
    ids = read_pair_integers(project.store, result.mining, "source_id")
    assert position_of(int(ids[0])) == 3
    with pytest.raises(UserError, match=r"one has no document 'July'\."):
        run(project, source_document="July")


def test_one_sentence_is_a_document(project: Project) -> None:
    result = run(project, source_lines="1-1", target_lines="1-1")
    assert shapes(project, result.mining) == ["1:1"]


def test_parts_of_one_corpus_are_two_documents(project: Project) -> None:
    fields = {"target": "one", "source_lines": "1-3", "target_lines": "4-7"}
    assert run(project, **fields).report.n_targets == 4
    with pytest.raises(UserError, match="share sentences of one"):
        run(project, **{**fields, "target_lines": "3-7"})


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"target": "empty"}, "empty has no sentence"),
        ({"source": "nothing"}, "There is no corpus 'nothing'"),
        ({"target": "one"}, "share sentences of one"),
        ({"source_lines": "9-12"}, "one has no sentences on lines 9 to 12"),
        ({"source_lines": "3"}, "'3' is not a range of lines. Enter the first and"),
        ({"source_lines": "5-2"}, "'5-2' is not a range of lines"),
        ({"source_lines": "0-2"}, "'0-2' is not a range of lines"),
    ],
)
def test_what_cannot_be_aligned_is_named(
    project: Project, fields: dict[str, str], words: str
) -> None:
    with project.store.begin() as connection:
        values = {"name": "empty", "language": "en", "language_given": "en"}
        values |= {"state": "ready"}
        connection.execute(schema.corpus.insert().values(created_at=0.0, **values))
    with pytest.raises(UserError, match=words):
        run(project, **fields)
    assert list_pair_sets(project.store) == []


def test_a_cancel_leaves_nothing(project: Project) -> None:
    class Stopping(Report):
        def step(self, stage: str, done: int, total: int, note: str = "") -> None:
            if stage == "Writing":
                self.cancel()
            super().step(stage, done, total, note)

    params = AlignDocuments(source="one", target="other")
    with pytest.raises(Cancelled):
        align_documents(project, params, Stopping())
    with project.store.connect() as connection:
        for table in (schema.mining, schema.pair):
            assert connection.scalar(select(func.count()).select_from(table)) == 0


def test_texts_that_do_not_translate_each_other_are_reported(
    project: Project,
) -> None:
    assert "do not seem" not in run(project).message
    add_corpus(project, "foreign", "en", [f"word{n} other{n}" for n in range(7)])
    message = run(project, target="foreign").message
    assert message.endswith("or delete the alignment.")
    assert "these texts do not seem to be translations of each other" in message


def test_alignments_of_the_same_texts_are_named_by_lines_and_number(
    project: Project,
) -> None:
    def name(source_lines: str = "", target_lines: str = "") -> str:
        params = AlignDocuments(
            source="one",
            target="other",
            source_lines=source_lines,
            target_lines=target_lines,
        )
        return align_documents(project, params, Report()).name

    assert name() == "one – other (aligned)"
    assert name() == "one – other (aligned, 2)"
    assert name("1-3", "1 - 3") == "one – other (aligned, lines 1–3)"
    assert name("1-3", "1 - 3") == "one – other (aligned, lines 1–3, 2)"
    assert name("1-3", "2-5") == "one – other (aligned, lines 1–3 and 2–5)"
    assert name("1-3") == "one – other (aligned, lines 1–3 and all)"
