"""Coverage of real languages by the bundled encoder, and of those it never saw."""

import lzma
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from app.engine.demo import sample_files
from app.engine.edits.journal import apply_edit
from app.engine.encoders.registry import find_encoder
from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.project.runs import perform_run, queue_run
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store.corpora import first_sentence_id
from app.engine.store.runs import list_runs
from app.engine.tasks.encode import encode
from app.engine.tasks.import_vectors import import_vectors
from app.engine.tasks.measure_coverage import measure_coverage
from app.errors import Cancelled, UserError
from app.languages import list_languages
from app.params.encoders import ImportVectors, MeasureCoverage
from app.params.vectors import Encode
from app.protocol.base import MAX_LINE
from app.protocol.edits.encoders import ChooseEncoder
from app.protocol.queries.encoders import WarmQuery
from tests.engine.encoders.tiny import save_tiny
from tests.engine.search.made import add_corpus

N_LETTERS = 40  # of a script that nobody has
MADE_UP = [
    " ".join("".join(chr(0xE000 + (i * j) % N_LETTERS) for j in (1, 3, 7)) for i in row)
    for row in zip(range(1, 150), range(2, 151), range(5, 154), strict=True)
]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with create_project(tmp_path_factory.mktemp("p") / "s.isogloss") as project:
        for file in sample_files():
            lines = file.read_text(encoding="utf-8").splitlines()[1:]
            texts = [line.split("\t")[0] for line in lines]
            add_corpus(project, file.stem, file.stem, texts)
        add_corpus(project, "invented", "qaa", MADE_UP)
        yield project


def test_no_sample_is_red_and_a_made_up_script_is(samples: Project) -> None:
    result = measure_coverage(samples, MeasureCoverage(), Report())
    verdicts = {one.language: one for one in result.languages}
    assert len(verdicts) == 13
    assert result.languages[0].language == "qaa"  # the worst first
    worst = verdicts.pop("qaa")
    assert worst.verdict == "red"
    assert worst.unknown == 1
    assert worst.script == 0
    assert worst.zero == 1
    assert worst.why.startswith("100\u00a0% of pieces are unknown")
    assert all(one.verdict != "red" for one in verdicts.values())
    assert verdicts["de"].verdict == "green"
    assert verdicts["ja"].per == "character"
    assert verdicts["de"].n == 126
    assert result.has_pieces
    assert result.sentences_per_s > 0
    assert "13 languages were measured" in result.message


def test_stored_vectors_say_the_same_as_new_ones(samples: Project) -> None:
    params = MeasureCoverage(corpora=("de", "ar"))
    new = measure_coverage(samples, params, Report())
    encode(samples, Encode(corpora=("de", "ar")), Report())
    stored = measure_coverage(samples, params, Report())
    assert stored.languages == new.languages


def test_an_encoder_says_what_it_was_trained_on(tmp_path: Path) -> None:
    with create_project(tmp_path / "p.isogloss") as project:
        save_tiny(project.folder / "encoders" / "tiny", languages=("eng",))
        for code in ("en", "sw"):
            add_corpus(project, code, code, [f"word {i} of {code}" for i in range(60)])
        params = MeasureCoverage(encoder="tiny")
        result = measure_coverage(project, params, Report())
    by_language = {one.language: one for one in result.languages}
    assert by_language["en"].trained is True
    assert by_language["sw"].trained is False
    assert "was not trained on it" in by_language["sw"].why


def test_vectors_made_elsewhere_have_hubs_but_no_pieces(tmp_path: Path) -> None:
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "de", "de", [f"Satz {i}" for i in range(120)])
        rows = np.eye(120) + np.random.default_rng(0).normal(size=(120, 120)) / 100
        rows[7] = 1  # near to every other
        np.save(tmp_path / "de.npy", rows.astype(np.float32))
        params = ImportVectors(file=tmp_path / "de.npy", corpus="de", encoder="far")
        import_vectors(project, params, Report())
        result = measure_coverage(project, MeasureCoverage(encoder="far"), Report())
        apply_edit(project, ChooseEncoder("far"), lambda kind, id_: None)
        warm = answer_query(SearchSession(project), WarmQuery())
    (one,) = result.languages
    assert not result.has_pieces
    assert (one.unknown, one.pieces, one.script) == (None, None, None)
    assert one.hubs is not None
    assert one.hub == first_sentence_id(1) + 7
    assert result.sentences_per_s == 0
    assert (warm.encoder, warm.not_encoded) == ("far", [])


def test_files_need_no_project(tmp_path: Path) -> None:
    (tmp_path / "news.deu").write_text("Das ist ein Satz.\n\nNoch einer.\n", "utf-8")
    with lzma.open(tmp_path / "swh.txt.xz", "wt", encoding="utf-8") as stream:
        stream.write("Habari ya asubuhi.\n" * 3)
    files = (tmp_path / "news.deu", tmp_path / "swh.txt.xz")
    result = measure_coverage(None, MeasureCoverage(texts=files), Report())
    counts = {one.language: one.n for one in result.languages}
    assert counts == {"de": 2, "sw": 1}  # doubles count once
    assert all("measured" in one.why for one in result.languages)


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        (MeasureCoverage(), "nothing to measure on"),
        (MeasureCoverage(corpora=("x",)), "Corpora need a project"),
        (MeasureCoverage(texts=(Path("sentences"),)), "contains no language"),
        (MeasureCoverage(encoder="none", texts=(Path("a.de"),)), "Unknown encoder"),
    ],
)
def test_what_cannot_be_measured_is_said_in_a_sentence(
    params: MeasureCoverage,
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.de").write_text("Ein Satz.\n", encoding="utf-8")
    with pytest.raises(UserError, match=reason):
        measure_coverage(None, params, Report())


def test_a_cancelled_measurement_ends(samples: Project) -> None:
    report = Report()
    report.cancel()
    with pytest.raises(Cancelled):
        measure_coverage(samples, MeasureCoverage(), report)


def test_the_record_of_very_many_languages_is_short_enough(tmp_path: Path) -> None:
    codes = [code for code, _ in list_languages()][:400]
    files = []
    for code in codes:
        files.append(tmp_path / f"text.{code}")
        files[-1].write_text("\ue000\ue001 \ue002\n", encoding="utf-8")
    with create_project(tmp_path / "p.isogloss") as project:
        params = MeasureCoverage(encoder=str(find_encoder("")), texts=tuple(files))
        run = queue_run(project, params)
        result = perform_run(project, params, Report(run=run))
        (row,) = list_runs(project.store)
    assert len(row.result.encode()) < MAX_LINE - 2_000
    assert len(result["languages"]) > 200
    assert result["n_left_out"] == len(codes) - len(result["languages"])
    assert msgspec.json.decode(row.result)["languages"][0]["verdict"] == "red"
