"""The report of runs: real runs, one page, nothing from outside it."""

import hashlib
import shlex
from pathlib import Path

import msgspec
import pytest
from lxml import html
from sqlalchemy import insert

from app.cli.main import build_parser
from app.engine.encoders.registry import write_choice
from app.engine.project.project import Project, create_project, open_project
from app.engine.project.runs import perform_run, queue_run
from app.engine.reporting.runs import draw_runs, read_run
from app.engine.reporting.tables import table_of_rows, tables_of
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.runs import read_measurements
from app.engine.tasks.make_report import make_report
from app.errors import UserError
from app.params import build_params
from app.params.base import TaskParams
from app.params.evaluation import EvaluateSts
from app.params.flags import name_encoders
from app.params.mining import MinePairs
from app.params.probing import Probe
from app.params.projection import ProjectMap
from app.params.projects import MakeReport
from app.results.charts import LineChart
from app.results.measurements import Correlated, SpaceMeasured, Transferred
from tests.engine.encoders.tiny import save_tiny
from tests.engine.search.made import add_corpus

ROWS = "".join(f"{n % 6}\tEin Satz über {n}.\tA text on {n * n}.\n" for n in range(12))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "letters.isogloss"
    create_project(folder).close()
    save_tiny(folder / "encoders" / "tiny")
    (tmp_path / "en.tsv").write_text(ROWS, encoding="utf-8")
    return folder


def perform(project: Project, params: TaskParams) -> int:
    run = queue_run(project, params)
    perform_run(project, params, Report(run=run))
    return run


def evaluation(folder: Path) -> EvaluateSts:
    data = [f"<en>={folder.parent / 'en.tsv'}"]
    params: EvaluateSts = build_params(EvaluateSts, {"data": data, "encoder": "tiny"})
    return params


def test_a_run_is_one_page_with_method_figures_data_and_versions(folder: Path) -> None:
    out = folder.parent / "sts.html"
    with open_project(folder) as project:
        run = perform(project, evaluation(folder))
        told = make_report(project, MakeReport(runs=(run,), out=out), Report())
    assert told.n_pictures == 2
    text = out.read_text(encoding="utf-8")
    page = html.fromstring(text)
    assert len(page.findall(".//svg")) == 2
    assert "Yang et al. 2019" in str(page.xpath("string()"))
    assert hashlib.sha256(ROWS.encode()).hexdigest() in str(page.xpath("string()"))
    assert "isogloss" in str(page.xpath("string()"))
    assert "evaluate-sts" in page.findtext(".//pre/code", "")
    assert "<en>" not in text  # the name of a set is a text, not an element
    assert not page.xpath("//@src | //link | //script")


def test_the_command_of_a_report_makes_the_same_result_again(folder: Path) -> None:
    save_tiny(folder / "encoders" / "other", seed=7)
    out = folder.parent / "sts.html"
    params = msgspec.structs.replace(evaluation(folder), encoder="", seed=3)
    with open_project(folder) as project:
        write_choice(folder, "tiny")
        run = perform(project, params)
        make_report(project, MakeReport(runs=(run,), out=out), Report())
        command = html.fromstring(out.read_text("utf-8")).findtext(".//pre/code", "")
        options = vars(build_parser().parse_args(shlex.split(command)[3:]))
        assert options["encoder"] == "tiny"
        assert (options.pop("command"), options.pop("project")) == (
            "evaluate-sts",
            folder,
        )
        write_choice(folder, "other")  # the encoder in use is another one now
        again = perform(project, build_params(EvaluateSts, options))
        as_before = perform(project, params)
        store = project.store
        first, second, by_other = (
            read_measurements(store, one) for one in (run, again, as_before)
        )
    assert first == second
    assert first != by_other


@pytest.mark.parametrize(
    ("named", "used", "expected"),
    [
        ((), ["one"], ("one",)),
        (("", "two"), ["one", "two"], ("one", "two")),
        (("one", "two"), ["one", "two"], ("one", "two")),
        ((), [], ()),
    ],
)
def test_encoders_in_use_are_named(
    named: tuple[str, ...], used: list[str], expected: tuple[str, ...]
) -> None:
    probe = Probe(data=(Path("x"),), encoders=named)
    assert name_encoders(probe, used).encoders == expected


def test_two_runs_stand_in_one_report(folder: Path) -> None:
    out = folder.parent / "sts.html"
    with open_project(folder) as project:
        runs = tuple(perform(project, evaluation(folder)) for _ in range(2))
        make_report(project, MakeReport(runs=runs, out=out, title="Twice"), Report())
    page = html.fromstring(out.read_text(encoding="utf-8"))
    assert page.findtext(".//h1") == "Twice"
    assert [h.text for h in page.findall(".//h2")] == [
        "Run 1: Textual similarity: <en>=en.tsv · tiny",
        "Run 2: Textual similarity: <en>=en.tsv · tiny",
    ]


def test_what_cannot_be_written_up_is_told(folder: Path) -> None:
    out = folder.parent / "sts.html"
    with open_project(folder) as project:
        waiting = queue_run(project, evaluation(folder))
        for runs, file, words in (
            ((7,), out, "has no run 7"),
            ((waiting,), out, "is queued"),
            ((waiting,), out.with_suffix(".pdf"), "must end in .html"),
        ):
            with pytest.raises(UserError, match=words):
                make_report(project, MakeReport(runs=runs, out=file), Report())
    assert not out.exists()


def test_a_file_that_is_there_stays_unless_it_may_be_replaced(folder: Path) -> None:
    out = folder.parent / "sts.html"
    out.write_text("mine", encoding="utf-8")
    with open_project(folder) as project:
        run = perform(project, evaluation(folder))
        with pytest.raises(UserError, match="replace"):
            make_report(project, MakeReport(runs=(run,), out=out), Report())
        assert out.read_text(encoding="utf-8") == "mine"
        make_report(project, MakeReport(runs=(run,), out=out, replace=True), Report())
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_curves_of_one_measure_share_a_picture_and_speeds_have_none(
    folder: Path,
) -> None:
    with open_project(folder) as project:
        run = perform(project, evaluation(folder))
        values = {  # of a single language the mean is that language's
            "loss": 3.0,
            "dev.error": 0.5,
            "dev.error.de": 0.5,
            "dev.error.fi": 0.7,
            "tokens_per_s": 900.0,
        }
        points = [
            {"run_id": run, "step": step, "name": name, "value": value}
            for name, value in values.items()
            for step in (1, 2)
        ]
        with project.store.begin() as connection:
            connection.execute(insert(schema.metric), points)
        charts = draw_runs(project, [read_run(project, run)])
    curves = {c.title: list(c.lines) for c in charts if isinstance(c, LineChart)}
    assert curves == {
        f"Run {run} · dev.error": ["dev.error", "dev.error.fi"],
        f"Run {run} · loss": ["loss"],
    }


def test_published_figures_have_a_table_with_what_ours_are_less(folder: Path) -> None:
    row = Transferred(
        encoder="one",
        data="MR",
        protocol="nested",
        metric="accuracy",
        n=10,
        score=0.7,
        score_interval=(0.6, 0.8),
        development=0.7,
        n_development=10,
        published={"InferSent": 0.811},
    )
    other = Correlated(
        encoder="one",
        first="en",
        second="en",
        similarity="arccos",
        n=10,
        pearson=0.5,
        pearson_interval=(0.4, 0.6),
        spearman=0.4,
        spearman_interval=(0.3, 0.5),
        published={"USE": 0.4},
    )
    with open_project(folder) as project:
        run = read_run(project, perform(project, evaluation(folder)))
        tables = list(tables_of(project, run._replace(rows=[row, other])))
    assert not any("InferSent" in " ".join(table.head) for table in tables[:2])
    assert tables[2].head == ["system", "MR (accuracy), %", "en, r of −arccos"]
    assert tables[2].rows == [
        ["measured here", "70.0", "0.500"],
        ["InferSent", "81.1 (−11.1)", ""],
        ["USE", "", "0.400 (+0.100)"],
    ]


def test_what_holds_for_all_rows_is_said_once_above_the_figures() -> None:
    rows = [
        SpaceMeasured(
            encoder="one",
            measure=measure,
            first="de",
            n=1_200,
            value=value,
            value_interval=interval,
        )
        for measure, value, interval in (
            ("isotropy", 0.5, (0.4, 0.6)),
            ("hubness", -2.0, None),
        )
    ]
    table = table_of_rows(rows)
    assert table.note == "In all rows: Encoder: one; First: German; n: 1,200."
    assert table.head == ["Measure", "Value"]
    assert table.numeric == {1}
    assert table.rows == [
        ["Isotropy", "0.500\u00a0(0.400\u00a0–\u00a00.600)"],
        ["Hubness", "−2.000"],
    ]
    (alone,) = table_of_rows(rows[:1]).rows  # of one row all is told
    assert alone[0] == "one"
    equal = table_of_rows([rows[0], rows[0]])  # a figure stands in each row
    assert equal.head == ["Value"]


def test_maps_and_minings_have_pictures_and_the_clusters_a_table(folder: Path) -> None:
    out = folder.parent / "map.html"
    with open_project(folder) as project:
        for name, language in (("A", "en"), ("B", "de")):
            add_corpus(project, name, language, [f"{name} word {n}" for n in range(9)])
        mapping = {"corpora": ["A", "B"], "method": "pca", "n_clusters": 2}
        mining = {"source": "1", "target": "2", "k": 2}
        runs = [
            perform(project, build_params(kind, {**values, "encoder": "tiny"}))
            for kind, values in ((ProjectMap, mapping), (MinePairs, mining))
        ]
        told = make_report(project, MakeReport(runs=tuple(runs), out=out), Report())
    assert told.n_pictures == 2
    page = html.fromstring(out.read_text(encoding="utf-8"))
    pictures = [one.text for one in page.findall(".//figure/h3")]
    assert pictures == ["A – B · scores of the pairs", "PCA: A, B"]
    assert len(page.findall(".//figure[2]//text[@class='m']")) == 2
    clusters = [row for row in page.iterfind(".//tr") if len(row) == 5]
    cells = [[str(cell.text) for cell in row] for row in clusters]
    assert cells[0] == [*("None", "sentences", "languages"), *cells[0][3:]]
    assert [row[0] for row in cells[1:]] == ["1", "2"]
    assert sum(int(row[1]) for row in cells[1:]) == 18
    assert all(" word " in row[4] for row in cells[1:])
    words = str(page.xpath("string()"))
    assert "spherical k-means" in words
    assert "each sentence once" in words
    assert "Sentences of A and of B were paired" in words
