"""Word alignments in Pharaoh format: links of made languages, files, errors."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert

from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks.export_word_alignments import export_word_alignments
from app.errors import UserError
from app.params.words import ExportWordAlignments
from tests.engine.search.made import add_corpus

N_SENTENCES, N_WORDS = 120, 30


def make_languages(
    seed: int,
) -> tuple[list[str], list[str], list[set[tuple[int, int]]]]:
    """Make sentences, their translations word for word with neighbours swapped."""
    rng = random.Random(seed)
    first, second, links = [], [], []
    for _ in range(N_SENTENCES):
        words = rng.sample(range(N_WORDS), 6)
        order = list(range(6))
        at = rng.randrange(5)
        order[at], order[at + 1] = order[at + 1], order[at]
        first.append(" ".join(f"word{word}" for word in words))
        second.append(" ".join(f"mot{words[index]}" for index in order))
        links.append({(index, order.index(index)) for index in range(6)})
    return first, second, links


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """Two made languages, linked sentence by sentence, and a corpus without links."""
    first, second, _ = make_languages(1)
    folder = tmp_path_factory.mktemp("words") / "p.isogloss"
    with create_project(folder) as project:
        add_corpus(project, "English", "en", first)
        add_corpus(project, "French", "fr", second)
        add_corpus(project, "Spanish", "es", ["una palabra"])
        links = [
            {
                "source_id": first_sentence_id(1) + row,
                "target_id": first_sentence_id(2) + row,
                "kind": "imported",
            }
            for row in range(N_SENTENCES)
        ]
        with project.store.begin() as connection:
            connection.execute(insert(schema.link), links)
        yield project


def test_nearly_all_words_of_made_languages_are_linked(
    project: Project, tmp_path: Path
) -> None:
    params = ExportWordAlignments(
        source="English",
        target="French",
        out=tmp_path / "words.pharaoh",
        association_only=True,
    )
    result = export_word_alignments(project, params, Report())
    first, second, links = make_languages(1)
    names = ("words.pharaoh", "words.source.txt", "words.target.txt")
    lines = [(tmp_path / name).read_text("utf-8").splitlines() for name in names]
    assert result.n_pairs == N_SENTENCES
    assert lines[1:] == [first, second]
    found = [
        {tuple(map(int, link.split("-"))) for link in line.split()} for line in lines[0]
    ]
    assert sum(map(len, found)) == result.n_links
    n_right = sum(len(own & its) for own, its in zip(found, links, strict=True))
    assert n_right / result.n_links > 0.97  # precision
    assert n_right / (6 * N_SENTENCES) > 0.97  # recall


def test_a_threshold_of_one_leaves_empty_lines(
    project: Project, tmp_path: Path
) -> None:
    out = tmp_path / "none.txt"
    params = ExportWordAlignments(
        source="French", target="English", out=out, least=1.0, association_only=True
    )
    assert export_word_alignments(project, params, Report()).n_links == 0
    assert out.read_text("utf-8") == "\n" * N_SENTENCES


def test_corpora_without_links_are_refused(project: Project, tmp_path: Path) -> None:
    params = ExportWordAlignments(
        source="English", target="Spanish", out=tmp_path / "a.txt"
    )
    with pytest.raises(UserError, match="No links connect English and Spanish"):
        export_word_alignments(project, params, Report())
    assert list(tmp_path.iterdir()) == []
