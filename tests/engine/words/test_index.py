"""The word index: what it holds, how long it is right, and what a kill leaves."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sqlalchemy import update

from app.engine.project.project import Project, create_project, open_project
from app.engine.runtime.report import Report
from app.engine.store.corpora import CorpusRow, list_corpora
from app.engine.store.schema import corpus as corpus_table
from app.engine.store.words.indexes import read_word_index
from app.engine.tasks.import_corpus import import_corpus
from app.engine.words import index as index_module
from app.engine.words import index_builder, tokenizer
from app.engine.words import tokenizer as tokenizer_tokens
from app.engine.words.index import WordIndex, known_index, open_index
from app.engine.words.tokenizer import fold_word
from app.errors import Cancelled, ResourceError
from app.params.corpora import ImportCorpus

CONLLU = """\
# text = Er geht zum Haus.
1\tEr\ter\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tgeht\tgehen\tVERB\t_\t_\t0\troot\t_\t_
3-4\tzum\t_\t_\t_\t_\t_\t_\t_\t_
3\tzu\tzu\tADP\t_\t_\t5\tcase\t_\t_
4\tdem\tder\tDET\t_\t_\t5\tdet\t_\t_
5\tHaus\tHaus\tNOUN\t_\t_\t2\tobl\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

# text = Ja!
1\tJa\tja\tINTJ\t_\t_\t0\troot\t_\tSpaceAfter=No
2\t!\t!\tPUNCT\t_\t_\t1\tpunct\t_\t_

"""
TEXT = "L'eau est là.\nL’Eau!\n😀 北京 ok\n—\n"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "words.isogloss") as project:
        yield project


def add(project: Project, name: str, text: str, language: str = "fr") -> CorpusRow:
    file = project.folder.parent / name
    file.write_text(text, encoding="utf-8")
    import_corpus(project, ImportCorpus(files=(file,), languages=(language,)), Report())
    return list_corpora(project.store)[-1]


def forms(index: WordIndex) -> list[str]:
    return index.forms.items(index.tokens)


def files(project: Project) -> set[str]:
    return {file.name for file in (project.folder / "arrays").glob("*.npy*")}


def test_an_index_says_where_each_word_stands(project: Project) -> None:
    index = open_index(project, add(project, "a.txt", TEXT), Report())
    assert forms(index)[:5] == ["L'", "eau", "est", "là", "L’"]
    assert index.starts.tolist()[:3] == [0, 4, 6]
    assert index.n_sentences == 4
    spans = zip(index.begins[:6].tolist(), index.ends[:6].tolist(), strict=True)
    assert list(spans) == [(0, 2), (2, 5), (6, 9), (10, 12), (0, 2), (2, 5)]
    ok = forms(index).index("ok")
    assert (index.begins[ok], index.ends[ok]) == (5, 7)  # code points, past the emoji
    assert index.sentence_of(np.array([0, 4, ok])).tolist() == [0, 1, 2]


def test_a_layer_is_sorted_by_word_and_by_place(project: Project) -> None:
    index = open_index(project, add(project, "a.txt", TEXT), Report())
    form, word = index.layer("form"), index.layer("word")
    listed = form.lexicon.all_items()
    assert listed == sorted(listed, key=lambda item: (fold_word(item), item))
    assert word.lexicon.all_items() == sorted({fold_word(item) for item in listed})
    assert word.lexicon.items(word.tokens) == [fold_word(item) for item in forms(index)]
    for layer in (form, word):
        order = np.argsort(layer.tokens, kind="stable")
        assert layer.order.tolist() == order.tolist()
        assert np.diff(layer.firsts).tolist() == np.bincount(layer.tokens).tolist()


def test_an_index_is_kept_over_an_opening(project: Project) -> None:
    corpus = add(project, "a.txt", TEXT)
    assert known_index(project, corpus) is None
    made = forms(open_index(project, corpus, Report(run=None)))
    (project.folder / "arrays" / "words-none.begins.npy").touch()  # of a killed run
    kept = files(project) - {"words-none.begins.npy"}
    project.close()
    with open_project(project.folder) as again:
        assert files(again) == kept
        index = known_index(again, corpus)
        assert index is not None
        assert forms(index) == made


def test_another_language_makes_it_anew(project: Project) -> None:
    corpus = add(project, "a.txt", TEXT)
    open_index(project, corpus, Report())
    old = files(project)
    with project.store.begin() as connection:
        connection.execute(update(corpus_table).values(language="en"))
    (english,) = list_corpora(project.store)
    assert known_index(project, english) is None
    assert forms(open_index(project, english, Report()))[0] == "L'eau"
    assert len(files(project)) == len(old)
    assert not files(project) & old


def test_a_segmenter_that_comes_later_makes_it_anew(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = add(project, "a.txt", TEXT)
    for module in (index_module, tokenizer_tokens):
        monkeypatch.setattr(module, "unspaced_segmenter", lambda: "characters")
    index = open_index(project, corpus, Report())
    assert "北" in forms(index)
    assert index.notes == [tokenizer.NOTE]
    monkeypatch.setattr(index_module, "unspaced_segmenter", lambda: "icu")
    assert known_index(project, corpus) is None


def test_without_text_that_needs_it_the_segmenter_does_not_matter(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = add(project, "a.txt", "un deux\n")
    monkeypatch.setattr(index_module, "unspaced_segmenter", lambda: "characters")
    assert open_index(project, corpus, Report()).notes == []
    monkeypatch.setattr(index_module, "unspaced_segmenter", lambda: "icu")
    assert known_index(project, corpus) is not None


@pytest.mark.parametrize("n_steps", [1, 4, 9])
def test_what_ends_midway_leaves_the_old_index(project: Project, n_steps: int) -> None:
    corpus = add(project, "a.txt", TEXT)
    open_index(project, corpus, Report())
    row = read_word_index(project.store, corpus.id)
    changed = corpus._replace(language="en")
    with pytest.raises(Cancelled):
        open_index(project, changed, _Ending(n_steps))
    assert read_word_index(project.store, corpus.id) == row
    assert known_index(project, corpus) is not None


KILLED = """
import os, sys
from pathlib import Path
from app.engine.project.project import open_project
from app.engine.runtime.report import Report
from app.engine.store.corpora import list_corpora
from app.engine.words import index
index.write_word_index = lambda *_: os._exit(9)  # all files are written, no row is
project = open_project(Path(sys.argv[1]))
(corpus,) = list_corpora(project.store)
index.open_index(project, corpus._replace(language="en"), Report())
"""


def test_a_kill_before_the_record_leaves_the_old_index(project: Project) -> None:
    corpus = add(project, "a.txt", TEXT)
    open_index(project, corpus, Report())
    old = files(project)
    project.close()
    killed = subprocess.run([sys.executable, "-c", KILLED, project.folder], check=False)
    assert killed.returncode == 9
    assert len(files(project)) == 2 * len(old)
    with open_project(project.folder) as again:
        assert files(again) == old
        assert known_index(again, corpus) is not None


class _Ending(Report):
    """Ends the run at a step: of reading, sorting or writing."""

    def __init__(self, n_steps: int):
        super().__init__()
        self._left = n_steps

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        self._left -= not stage.startswith("sort")
        if not self._left:
            self.cancel()
        super().step(stage, done, total, note)


def test_a_full_disk_is_told_before_the_writing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = add(project, "a.txt", TEXT)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10**7))
    with pytest.raises(
        ResourceError, match=r"needs 0\u00a0MB and 50\u00a0MB must stay.*10\u00a0MB"
    ):
        open_index(project, corpus, Report())
    assert files(project) == set()


def test_a_damaged_index_is_made_again(project: Project) -> None:
    corpus = add(project, "a.txt", TEXT)
    made = forms(open_index(project, corpus, Report()))
    for file in (project.folder / "arrays").glob("*.begins.npy"):
        file.unlink()
    assert known_index(project, corpus) is None
    assert forms(open_index(project, corpus, Report())) == made


def test_beside_a_writer_an_index_is_in_memory_only(project: Project) -> None:
    corpus = add(project, "a.txt", TEXT)
    reading = Project(project.folder, project.store, None, [])
    index = open_index(reading, corpus, Report())
    assert (index.stem, forms(index)[:2]) == ("", ["L'", "eau"])
    assert files(project) == set()


def test_words_of_a_treebank_are_its_own(project: Project) -> None:
    index = open_index(project, add(project, "t.conllu", CONLLU, "de"), Report())
    assert forms(index) == ["Er", "geht", "zu", "dem", "Haus", "Ja"]  # no signs
    lemma, pos = index.layer("lemma"), index.layer("pos")
    assert lemma.lexicon.items(lemma.tokens)[1:4] == ["gehen", "zu", "der"]
    assert pos.lexicon.items(pos.tokens)[-2:] == ["NOUN", "INTJ"]
    assert (index.begins[2], index.ends[2]) == (index.begins[3], index.ends[3])
    assert index.starts.tolist() == [0, 5, 6]


def test_long_pages_are_cut_in_parts(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = add(project, "a.txt", TEXT * 3)
    whole = open_index(
        Project(project.folder, project.store, None, []), corpus, Report()
    )
    monkeypatch.setattr(index_builder, "MAX_CHARACTERS", 10)
    parts = open_index(project, corpus, Report())
    assert forms(parts) == forms(whole)
    assert parts.starts.tolist() == whole.starts.tolist()


def test_an_empty_corpus_has_an_index(project: Project) -> None:
    index = open_index(project, add(project, "a.txt", "—\n…\n"), Report())
    assert (index.n_sentences, index.n_tokens, len(index.forms)) == (2, 0, 0)
