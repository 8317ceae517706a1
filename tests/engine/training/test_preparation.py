"""Pairs from the links of a project's corpora, and from its pair sets."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert

from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.sets import first_pair_id
from app.engine.store.schema import corpus, link, sentence
from app.engine.text.line_files import read_pairs
from app.engine.training.preparation import find_pairs, write_linked_pairs
from app.errors import UserError
from app.params.training.encoder import TrainEncoder
from app.protocol.edits.pairs import JudgePairs
from tests.engine.review.made import add_corpora, add_pairs, edit

TEXTS = {1: ["one", "two\tand"], 2: ["eins", "zwei"], 3: ["un", "deux"], 4: ["x", "y"]}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as made:
        corpora = [
            {
                "id": i,
                "name": f"c{i}",
                "language": "en",
                "language_given": "en",
                "state": "deleted" if i == 4 else "ready",
                "n_sentences": 2,
                "created_at": 0.0,
            }
            for i in TEXTS
        ]
        sentences = [
            {
                "id": first_sentence_id(i) + n,
                "text": text,
                "language": "en",
                "line": n + 1,
                "length": len(text),
                "hash": 0,
            }
            for i, texts in TEXTS.items()
            for n, text in enumerate(texts)
        ]
        links = [
            {
                "source_id": first_sentence_id(a) + n,
                "target_id": first_sentence_id(b) + n,
                "kind": "imported",
            }
            for a, b in ((1, 2), (3, 1), (1, 4))
            for n in range(2)
        ]
        with made.store.begin() as connection:
            connection.execute(insert(corpus), corpora)
            connection.execute(insert(sentence), sentences)
            connection.execute(insert(link), links)
        yield made


def test_each_two_linked_corpora_give_a_file(project: Project, tmp_path: Path) -> None:
    files = write_linked_pairs(project, ["c1"], tmp_path / "pairs", Report())
    assert [file.name for file in files] == ["en-en.1-2.tsv", "en-en.3-1.tsv"]
    assert list(read_pairs(files[0])) == [("one", "eins"), ("two and", "zwei")]
    assert list(read_pairs(files[1])) == [("un", "one"), ("deux", "two and")]


def test_links_between_two_chosen_corpora_are_written_once(
    project: Project, tmp_path: Path
) -> None:
    files = write_linked_pairs(project, ["c1", "c2"], tmp_path / "pairs", Report())
    assert len(list(read_pairs(files[0]))) == 2


def test_corpus_without_links_is_a_users_error(
    project: Project, tmp_path: Path
) -> None:
    with project.store.begin() as connection:
        connection.execute(link.delete())
    with pytest.raises(UserError, match="c2 is linked"):
        write_linked_pairs(project, ["c2"], tmp_path / "pairs", Report())


@pytest.fixture
def judged(tmp_path: Path) -> Iterator[Project]:
    """A pair set of four pairs: one accepted, one accepted and edited, one rejected."""
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpora(project)
        add_pairs(project, n_candidates=2)
        first = first_pair_id(1)
        edit(project, JudgePairs(pairs=(first, first + 1), verdict="accept"))
        edit(project, JudgePairs(pairs=(first + 1,), target_text="a\tship"))
        edit(project, JudgePairs(pairs=(first + 2,), verdict="reject"))
        yield project


def test_accepted_pairs_of_a_set_are_trained_on_as_edited(
    judged: Project, tmp_path: Path
) -> None:
    params = TrainEncoder(name="mine", pair_sets=("letters",))
    (file,) = find_pairs(judged, params, tmp_path / "mine", Report())
    assert file.name == "de-en.set1.tsv"
    pairs = [line.split("\t") for line in file.read_text("utf-8").splitlines()]
    assert [target for _, target in pairs] == ["ship 0", "a ship"]
    with pytest.raises(UserError, match="need a project"):
        find_pairs(None, params, tmp_path / "mine", Report())


def test_a_set_without_accepted_pairs_is_refused_by_name(
    judged: Project, tmp_path: Path
) -> None:
    pairs = tuple(first_pair_id(1) + i for i in range(4))
    edit(judged, JudgePairs(pairs=pairs, verdict="reject"))
    params = TrainEncoder(name="mine", pair_sets=("letters",))
    with pytest.raises(UserError, match="letters has no accepted pairs"):
        find_pairs(judged, params, tmp_path / "mine", Report())
