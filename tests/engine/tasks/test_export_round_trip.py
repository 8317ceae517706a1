"""Imported, exported, imported again: the same sentences, linked in the same way."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.store.pairs.sets import first_pair_id, read_links
from app.engine.tasks.export_pairs import ExportPairsResult, export_pairs
from app.params import build_params
from app.params.pairs import ExportPairs, PairFormat
from app.protocol.edits.pairs import JudgePairs
from tests.engine.review.made import NEW, add_pairs, edit
from tests.engine.tasks.importing import run_import, texts_of
from tests.engine.text.writers.made import NASTY

NOT_READ = ("tei", "paraconc", "tbx")  # exported only
READABLE = [kind for kind in get_args(PairFormat) if kind not in NOT_READ]
LANGUAGES = ["de", "zh-Hans"]
PO = 'msgid ""\nmsgstr "Language: zh_CN\\n"\n\n'


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """A bitext of texts that trouble formats, and four aligned pairs of it."""
    folder = tmp_path_factory.mktemp("p")
    quoted = [one.replace("\\", "\\\\").replace('"', '\\"') for one in NASTY]
    entries = [f'msgid "{one} Satz {i}"\nmsgstr "{i}\u3002{one}\u3002"\n'
               for i, one in enumerate(quoted)]  # fmt: skip
    file = folder / "first.po"
    file.write_text(PO + "\n".join(entries), encoding="utf-8", newline="\n")
    with create_project(folder / "p.isogloss") as project:
        made = run_import(project, file, languages=LANGUAGES)
        assert [corpus.n_sentences for corpus in made.corpora] == [len(NASTY)] * 2
        assert [corpus.id for corpus in made.corpora] == [1, 2]
        mining = add_pairs(project, 4, new=NEW._replace(kind="aligned"))
        low = first_pair_id(mining)
        with project.store.begin() as connection:
            for index, counts in enumerate(((2, 1), (0, 1), (1, 1), (1, 0))):
                connection.exec_driver_sql(
                    "UPDATE pair SET n_source = ?, n_target = ? WHERE id = ?",
                    (*counts, low + index),
                )
        edit(project, JudgePairs(pairs=(low + 2,), target_text="edited"))
        yield project


def export(project: Project, out: Path, **fields: Any) -> ExportPairsResult:
    kept = {
        "formulas": "keep"
    }  # cells that begin like a formula come back as they were
    params = build_params(ExportPairs, {"out": out, **kept, **fields})
    return export_pairs(project, params, Report())


def import_again(project: Project, result: ExportPairsResult) -> list[int]:
    """Import what was exported; returns the corpora."""
    kind = result.format.partition("-")[0]
    languages = [] if kind in ("tmx", "xliff") else LANGUAGES
    made = run_import(project, *result.files, languages=languages, format=kind)
    assert [corpus.code for corpus in made.corpora] == LANGUAGES
    return [corpus.id for corpus in made.corpora]


@pytest.mark.parametrize("kind", READABLE)
def test_a_bitext_is_the_same_after_it_went_out_and_came_in(
    kind: str, project: Project, tmp_path: Path
) -> None:
    result = export(
        project, tmp_path / "t.x", source="1", target="2", format=kind, formulas="keep"
    )
    assert (result.n_written, result.left_out) == (len(NASTY), {})
    second = import_again(project, result)
    for before, after in zip((1, 2), second, strict=True):
        assert texts_of(project, before) == texts_of(project, after)
    links = [read_links(project.store, *ids) for ids in ((1, 2), second)]
    assert np.array_equal(links[0], links[1])


@pytest.mark.parametrize("kind", get_args(PairFormat))
def test_aligned_pairs_of_several_sentences_are_written(
    kind: str, project: Project, tmp_path: Path
) -> None:
    result = export(
        project, tmp_path / "t.x", pairs="letters", format=kind, formulas="keep"
    )
    assert (result.n_written, result.left_out) == (2, {"no text on one side": 2})
    if kind not in READABLE:
        return
    source, target = import_again(project, result)
    joined = f"{NASTY[0]} Satz 0 {NASTY[1]} Satz 1"
    assert texts_of(project, source) == [joined, f"{NASTY[2]} Satz 2"]
    assert texts_of(project, target) == [f"0\u3002{NASTY[0]}\u3002", "edited"]
