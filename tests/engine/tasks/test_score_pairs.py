"""How good an existing bitext is: linked corpora, or two aligned files."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert

from app.engine.project.project import Project, create_project, open_read_only
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id, position_of
from app.engine.store.pairs.sets import list_pair_sets, pair_ids, read_pairs
from app.engine.tasks.encode import encode
from app.engine.tasks.score_pairs import ScorePairsResult, score_pairs
from app.errors import UserError
from app.params import build_params
from app.params.mining import ScorePairs
from app.params.vectors import Encode
from tests.engine.search.made import WordEncoder, add_corpus

SOURCE = ["boat on water", "cow in barn", "moon over sea", "boat on water"]
TARGET = ["a boat on water", "cow in the barn", "wine and bread", "a boat on water"]


class Forgetful(WordEncoder):
    """Knows nothing of glass."""

    def encode(self, texts: Any) -> Any:
        vectors = super().encode(texts)
        vectors[["glass" in text for text in texts]] = 0
        return vectors


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = Forgetful(dim=64)
    for place in ("tasks.encode", "tasks.score_pairs"):
        name = f"app.engine.{place}.load_encoder"
        monkeypatch.setattr(name, lambda *_, **__: encoder)


def score(project: Project | None, **fields: Any) -> ScorePairsResult:
    params = build_params(ScorePairs, {"k": 2, **fields})
    return score_pairs(project, params, Report())


def write_files(folder: Path, sources: list[str], targets: list[str]) -> dict[str, Any]:
    for name, texts in (("s", sources), ("t", targets)):
        (folder / name).write_text("\n".join(texts) + "\n", encoding="utf-8")
    return {"source": folder / "s", "target": folder / "t"}


def test_the_worst_pair_of_two_files_is_the_wrong_one(tmp_path: Path) -> None:
    files = write_files(tmp_path, [*SOURCE, "glass"], [*TARGET, "glass"])
    result = score(None, **files, out=tmp_path / "scores.tsv")
    assert (result.pairs, result.unknown, result.mining) == (5, 1, None)
    assert (result.worst[0].source, result.worst[0].target) == (SOURCE[2], TARGET[2])
    # equal texts count once, so a sentence is no rival of itself
    assert result.summary.best == 1
    header, *lines = (tmp_path / "scores.tsv").read_text("utf-8").splitlines()
    assert header == "score\tcosine\tsource\ttarget"
    cells = [line.split("\t") for line in lines]
    assert [cell[2] for cell in cells] == [*SOURCE, "glass"]
    assert cells[0][0] == cells[3][0] > cells[2][0]
    assert cells[4][:2] == ["", ""]
    assert result.summary.mean == pytest.approx(
        sum(float(cell[0]) for cell in cells[:4]) / 4, abs=1e-5
    )


def test_probably_wrong_pairs_are_counted(tmp_path: Path) -> None:
    sources = ["boat on water", "cow in barn", "red moon", "wine"]
    targets = ["cow in barn", "boat on water", "red moon", "wine"]
    files = write_files(tmp_path, sources, targets)
    done = "4 of 4 pairs were scored."
    words = f"{done} 2 pairs score below 1 and are probably wrong."
    assert score(None, **files).message == words
    assert score(None, **files, margin="absolute").message == done


def test_a_table_never_takes_the_place_of_a_file(tmp_path: Path) -> None:
    files = write_files(tmp_path, SOURCE, TARGET)
    before = files["source"].read_bytes()
    with pytest.raises(UserError, match=r"s already exists\. Choose another name"):
        score(None, **files, out=files["source"])
    with pytest.raises(UserError, match="no is not a folder"):
        score(None, **files, out=tmp_path / "no" / "scores.tsv")
    assert files["source"].read_bytes() == before


@pytest.fixture
def project(tmp_path: Path) -> Project:
    with create_project(tmp_path / "memory.isogloss") as project:
        one = add_corpus(project, "Quelle", "de", SOURCE)
        two = add_corpus(project, "target", "en", TARGET)
        rows = [
            {
                "source_id": first_sentence_id(one) + i,
                "target_id": first_sentence_id(two) + i,
            }
            for i in range(4)
        ]
        with project.store.begin() as connection:
            values = [{**row, "kind": "imported"} for row in rows]
            connection.execute(insert(schema.link), values)
        add_corpus(project, "alone", "fr", ["seul"])
        corpora = ("Quelle", "target", "alone")
        encode(project, Encode(corpora=corpora), Report())
        return project


def test_linked_corpora_are_scored_and_kept_for_review(project: Project) -> None:
    result = score(project, source="Quelle", target="target")
    (row,) = list_pair_sets(project.store)
    assert (row.id, row.kind, row.n_pairs) == (result.mining, "scored", 4)
    pairs = read_pairs(project.store, pair_ids(row).tolist())
    ends = [
        (position_of(pair.source_id), position_of(pair.target_id))
        for pair in pairs
        if pair is not None
    ]
    assert sorted(ends) == [(i, i) for i in range(4)]
    assert ends[-1] == (2, 2)
    worst = pairs[-1]
    assert worst is not None
    assert worst.runner_up_id is not None  # another target is nearer
    assert result.message == "4 of 4 pairs were scored. No pair scores below 1."
    score(project, source="Quelle", target="target")
    names = [row.name for row in list_pair_sets(project.store)]
    assert names == ["Quelle – target (scored, 2)", "Quelle – target (scored)"]


def test_links_are_read_from_either_end(project: Project) -> None:
    forward = score(project, source="Quelle", target="target")
    backward = score(project, source="target", target="Quelle")
    assert backward.summary.mean == pytest.approx(forward.summary.mean)


def test_a_project_open_for_reading_is_scored_without_keeping(project: Project) -> None:
    with open_read_only(project.folder) as reading:
        result = score(reading, source="Quelle", target="target")
    assert result.mining is None
    assert not (project.folder / "arrays" / "neighbours").exists()
    assert list_pair_sets(project.store) == []


def test_sides_that_do_not_belong_together_are_refused(
    project: Project, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match="No sentence of Quelle is linked with one of"):
        score(project, source="Quelle", target="alone")
    with pytest.raises(UserError, match="nowhere is not a file"):
        score(None, source="nowhere", target="nothing")
    files = write_files(tmp_path, SOURCE, TARGET[:2])
    with pytest.raises(UserError, match="must be aligned line by line"):
        score(None, **files)
