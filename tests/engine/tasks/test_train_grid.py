"""train-grid: every combination is trained and measured, and a killed grid resumes."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.engine.project.project import Project, create_project
from app.engine.project.runs import find_interrupted, perform_run, queue_run
from app.engine.runtime.report import Report, SilentSink
from app.engine.statistics import wilson_interval
from app.engine.store.runs import read_measurements
from app.engine.tasks.evaluate_sts import evaluate_sts
from app.engine.tasks.train_encoder import train_encoder
from app.engine.tasks.train_grid import train_grid
from app.engine.training.preparation import find_pairs
from app.errors import Cancelled, ResourceError, UserError
from app.params import build_params
from app.params.evaluation import EvaluateSts
from app.params.grid_cells import GridCell, list_cells
from app.params.training.encoder import TrainEncoder
from app.params.training.fields import split_objectives
from app.params.training.grid import TrainGrid
from app.params.training.grid_presets import GRID_PRESETS
from app.params.training.presets import PRESETS
from app.results.measurement_charts import draw_measurements
from app.results.measurements import GridMeasured
from tests.engine.training.synthetic import make_pairs, write_pairs

TINY: dict[str, Any] = {
    "n_pieces": 300,
    "n_ngrams": 0,
    "dim": 16,
    "n_steps": 30,
    "batch_size": 32,
    "n_warmup": 5,
    "lr": 0.03,
    "n_development": 20,
    "evaluate_every": 10,
    "checkpoint_every_s": 3600,
}


@pytest.fixture
def project(tmp_path: Path) -> Any:
    with create_project(tmp_path / "p.isogloss") as project:
        yield project


def grid_of(folder: Path, vary: list[str], **values: Any) -> TrainGrid:
    file = folder / "eng-deu.tsv"
    if not file.exists():
        write_pairs(file, 300)
    found: TrainGrid = build_params(
        TrainGrid, {**TINY, "name": "g", "pairs": [file], "vary": vary, **values}
    )
    return found


def write_scores(file: Path) -> Path:
    """Write pairs whose score is higher where they are translations."""
    pairs = make_pairs(40, seed=7)
    lines = [
        f"{4 if i % 2 else 1}\t{one}\t{(pairs if i % 2 else pairs[::-1])[i][1]}\n"
        for i, (one, _) in enumerate(pairs)
    ]
    file.write_text("".join(lines), encoding="utf-8", newline="\n")
    return file


def trainings_of(cells: list[GridCell]) -> list[TrainEncoder]:
    found = [one.params for one in cells if isinstance(one.params, TrainEncoder)]
    assert len(found) == len(cells)
    return found


def rows_of(project: Project, run: int) -> list[GridMeasured]:
    rows = read_measurements(project.store, run)
    return [row for row in rows if isinstance(row, GridMeasured)]


def run_grid(project: Project, params: TrainGrid, report: Report | None = None) -> int:
    run = queue_run(project, params, resume=find_interrupted(project, params))
    report = report or Report()
    report.run = run
    perform_run(project, params, report)
    return run


# --- the combinations ---


def test_every_combination_is_listed_the_last_setting_fastest(tmp_path: Path) -> None:
    vary = [
        "dim=16|32",
        "objectives=ranking | ranking, nli:2",
        "learns-temperature=yes",
    ]
    cells = list_cells(grid_of(tmp_path, vary))
    assert [(one.dim, one.objectives) for one in trainings_of(cells)] == [
        (16, ("ranking",)),
        (16, ("ranking", "nli:2")),
        (32, ("ranking",)),
        (32, ("ranking", "nli:2")),
    ]
    assert all(one.learns_temperature for one in trainings_of(cells))
    assert cells[1].varied == {
        "Dimensions": "16",
        "Objectives": "ranking + nli:2",
        "Learn temperature": "yes",
    }
    assert cells[1].params.name == (
        "g 2 (Dimensions 16, Objectives ranking + nli-2, Learn temperature yes)"
    )
    assert type(cells[0].params) is TrainEncoder


def test_joined_settings_change_together(tmp_path: Path) -> None:
    vary = ["n_layers & dim=1&16|3 & 32", "seed=1|2"]
    cells = list_cells(grid_of(tmp_path, vary))
    assert [(c.params.n_layers, c.params.dim, c.params.seed) for c in cells] == [
        (1, 16, 1),
        (1, 16, 2),
        (3, 32, 1),
        (3, 32, 2),
    ]
    assert cells[3].title == "Layers 3, Dimensions 32, Random seed 2"


@pytest.mark.parametrize("key", GRID_PRESETS)
def test_a_preset_is_a_grid_of_the_published_ablation(key: str) -> None:
    values = {"name": key, **GRID_PRESETS[key].values}
    cells = list_cells(build_params(TrainGrid, values))
    base = PRESETS["laser" if key.startswith("laser") else "dual-encoder"].values
    assert all(one.architecture == base["architecture"] for one in trainings_of(cells))
    if key == "laser-depth":  # Artetxe and Schwenk 2019, ablation of the depth
        assert [cell.params.n_layers for cell in cells] == [1, 3, 5]
    if key == "laser-nli":  # none, x1, x2, x3
        weights = [
            {one.name: one.weight for one in split_objectives(training.objectives)}
            for training in trainings_of(cells)
        ]
        assert [one.get("nli", 0) for one in weights] == [0, 1, 2, 3]
        assert all(one["translation"] == 1 for one in weights)
    if key == "laser-languages":  # 93 and 18, English among them
        assert [len(cell.params.languages) for cell in cells] == [0, 17]
    if key == "dual-encoder-tasks":  # Chidambaram et al. 2019, table 1
        full = {"conversation", "quick-thought", "nli", "ranking"}
        rows = [
            (set(one.objectives), one.native_languages) for one in trainings_of(cells)
        ]
        assert rows == [
            (full, ()),
            (full - {"nli"}, ()),  # No SNLI
            (full - {"quick-thought"}, ()),  # No Wiki
            (full, ("eng",)),  # No non-English native tasks
            ({"ranking"}, ()),  # Translation-ranking only
        ]


def test_files_are_named_without_folder_and_ending(tmp_path: Path) -> None:
    one, other = tmp_path / "eng-deu.tsv.xz", tmp_path / "eng-fra.tsv.xz"
    cells = list_cells(grid_of(tmp_path, [f"pairs={one}|{one},{other}"]))
    assert [cell.varied["Pair files"] for cell in cells] == [
        "eng-deu",
        "eng-deu + eng-fra",
    ]
    assert trainings_of(cells)[1].pairs == (one, other)


def test_languages_select_the_pairs_with_english_and_with_each_other(
    tmp_path: Path,
) -> None:
    names = ["eng-deu", "eng-fra", "deu-fra", "fra-ita", "mixed"]
    files = [tmp_path / f"{name}.tsv" for name in names]
    varied = grid_of(tmp_path, ["languages=|deu|de,fr"], pairs=files)
    found = [
        [path.stem for path in find_pairs(None, one, tmp_path, Report())]
        for one in trainings_of(list_cells(varied))
    ]
    assert found == [names, ["eng-deu"], ["eng-deu", "eng-fra", "deu-fra"]]
    titles = [cell.varied["Languages"] for cell in list_cells(varied)]
    assert titles == ["–", "deu", "de + fr"]


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        (["dim"], r"'dim' is not a setting with its values\. Write SETTING=VALUE"),
        (["colour=red"], r"'colour' is not a setting of a training"),
        (["name=a|b"], r"'name' is not a setting of a training that can be varied"),
        (["dim=2|16"], r"Dimensions 2: it must be at least 8"),
        (["dim=16", "dim=32"], r"The setting Dimensions is varied twice"),
        (["dim&seed=16&1|32"], r"has 2 settings, but 1 values in '32'"),
        (["seed=" + "|".join(map(str, range(201)))], r"201 combinations; at most 200"),
    ],
)
def test_a_wrong_line_is_refused(tmp_path: Path, vary: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        list_cells(grid_of(tmp_path, vary))


# --- training and measuring ---


def test_a_grid_is_the_single_trainings_and_their_evaluations(
    project: Project, tmp_path: Path
) -> None:
    scored = write_scores(tmp_path / "sts.tsv")
    params = grid_of(tmp_path, ["dim=16|24"], sts=[f"xx={scored}"])
    rows = rows_of(project, run_grid(project, params))
    assert [row.varied for row in rows] == [{"Dimensions": "16"}, {"Dimensions": "24"}]
    for row, dim in zip(rows, (16, 24), strict=True):
        (first_cell, _) = trainings_of(list_cells(params))
        single = msgspec.structs.replace(
            first_cell, name="alone", dim=dim, out=tmp_path / f"{dim}"
        )
        trained = train_encoder(None, single, Report())
        sts = EvaluateSts(data=(f"xx={scored}",), encoder=str(tmp_path / f"{dim}"))
        first = evaluate_sts(None, sts, Report()).results[0]
        assert row.is_done
        assert row.n_steps == 30
        assert row.kept_step == trained.kept_step
        assert row.n_parameters == trained.n_parameters
        assert trained.development_error is not None
        assert row.scores == pytest.approx(
            {
                "Development error, %": 100 * trained.development_error,
                "STS xx, r × 100": 100 * first.pearson,
            },
            abs=1e-3,
        )
        assert row.scores_interval.keys() == row.scores.keys()
        for name, (low, high) in row.scores_interval.items():
            assert low <= row.scores[name] <= high
        interval = row.scores_interval["Development error, %"]
        n = sum(one.n_development for one in trained.counts)
        share = wilson_interval(trained.development_error * n, n)
        ends = (100 * share.low, 100 * share.high)
        assert interval == pytest.approx(ends, abs=1e-3)
    (chart,) = draw_measurements(rows)
    assert chart.title == "Comparison of settings · Dimensions"
    assert getattr(chart, "labels", ()) == ("16", "24")


class StopsAt(Report):
    """Cancels at a stage of one of the trainings."""

    def __init__(self, place: str):
        super().__init__(SilentSink())
        self.place = place
        self.stages: set[str] = set()

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        self.stages.add(stage)
        if stage.startswith(self.place) and done:
            self.cancel()
        super().step(stage, done, total, note)


def test_a_stopped_grid_goes_on_at_the_unfinished_training(
    project: Project, tmp_path: Path
) -> None:
    params = grid_of(tmp_path, ["dim=16|24|32"])
    with pytest.raises(Cancelled):
        run_grid(project, params, StopsAt("Training 2 of 3: Training"))
    run = find_interrupted(project, params)
    assert run is not None
    before = rows_of(project, run)
    assert [row.is_done for row in before] == [True, False, False]
    assert before[1].scores == {}
    report = StopsAt("never")
    assert run_grid(project, params, report) == run
    assert not any(stage.startswith("Training 1 of 3") for stage in report.stages)
    after = rows_of(project, run)
    assert after[0] == before[0]
    assert all(row.is_done for row in after)
    again = grid_of(tmp_path, ["dim=16|24|32"], name="again")
    whole = rows_of(project, run_grid(project, again))
    assert [row.scores for row in whole] == [row.scores for row in after]


def test_each_encoder_is_announced_when_it_is_trained(
    project: Project, tmp_path: Path
) -> None:
    class Noting(SilentSink):
        def __init__(self) -> None:
            self.kinds: list[str] = []

        def changed(self, kind: str, row_id: int) -> None:
            self.kinds.append(kind)

    sink = Noting()
    train_grid(project, grid_of(tmp_path, ["dim=8|16"]), Report(sink))
    assert sink.kinds.count("encoder") == 2


def test_an_encoder_that_was_saved_without_its_figures_is_trained_again(
    project: Project, tmp_path: Path
) -> None:
    params = grid_of(tmp_path, ["dim=16|24"])
    with pytest.raises(Cancelled):
        run_grid(project, params, StopsAt("Training 1 of 2: Training"))
    name = list_cells(params)[0].params.name
    (project.folder / "encoders" / name).mkdir(parents=True)  # as a kill leaves it
    rows = rows_of(project, run_grid(project, params))
    assert all(row.is_done and "Development error, %" in row.scores for row in rows)


def test_finish_ends_the_grid_after_the_training_that_runs(
    project: Project, tmp_path: Path
) -> None:
    report = Report()
    report.request = "finish"
    run = run_grid(project, grid_of(tmp_path, ["dim=16|24"]), report)
    assert [row.is_done for row in rows_of(project, run)] == [True, False]


def test_names_that_are_taken_and_missing_files_are_refused_before_the_work(
    project: Project, tmp_path: Path
) -> None:
    taken = project.folder / "encoders" / "g 2 (Dimensions 24)"
    taken.mkdir(parents=True)
    with pytest.raises(UserError, match=r"g 2 \(Dimensions 24\) already exists"):
        run_grid(project, grid_of(tmp_path, ["dim=16|24"]))
    assert [one.name for one in taken.parent.iterdir()] == [taken.name]
    for values, message in (
        ({"mining": [tmp_path]}, r"has no file source\.tsv"),
        ({"transfer_tests": ["de=x.tsv"]}, "Transfer needs both a file"),
        ({"tatoeba": tmp_path / "no"}, "no is not a folder"),
    ):
        with pytest.raises(UserError, match=message):
            run_grid(project, grid_of(tmp_path, ["dim=16"], name="h", **values))
    with pytest.raises(ResourceError, match=r"none\.tsv does not exist"):
        run_grid(project, grid_of(tmp_path, ["dim=16"], sts=["x=none.tsv"]))


@pytest.mark.parametrize(
    ("field", "form", "content", "message"),
    [
        ("sts", "x={}", "3\ta\tb\nfour\tc\td\n", "line 2.*'four'"),
        ("labelled", "x={}", "pos\ta\n", "too few for 10 folds"),
        ("tables", "{}", "en\tde\na\tb\nc\n", "line 3"),
        ("nli", "{}", "entailment\ta\tb\nmaybe\ta\tb\n", "line 2.*maybe"),
        ("conversations", "{}", "a\tb\nonly one\n", "line 2"),
    ],
)
def test_a_wrong_line_is_found_before_the_first_training(
    project: Project, tmp_path: Path, field: str, form: str, content: str, message: str
) -> None:
    file = tmp_path / "wrong.tsv"
    file.write_text(content, encoding="utf-8", newline="\n")
    params = grid_of(tmp_path, ["dim=16|24"], **{field: [form.format(file)]})
    report = StopsAt("no stage")
    with pytest.raises(UserError, match=message):
        run_grid(project, params, report)
    assert not any(stage.startswith("Training") for stage in report.stages)
    assert not any((project.folder / "encoders").iterdir())


def test_wrong_files_of_transfer_and_mining_are_found_before_the_first_training(
    project: Project, tmp_path: Path
) -> None:
    for name, content in (
        ("train.tsv", "pos\tgood\nneg\tbad\n" * 10),
        ("pairs.tsv", "pos\tgood\tfine\n"),
        ("source.tsv", "a\tone\n"),
        ("target.tsv", "b\teins\n"),
        ("gold.tsv", "a\tc\n"),
    ):
        (tmp_path / name).write_text(content, encoding="utf-8", newline="\n")
    transfer = {
        "transfer_train": tmp_path / "train.tsv",
        "transfer_tests": [f"de={tmp_path / 'pairs.tsv'}"],
    }
    for values, message in (
        (transfer, "has pairs of texts, but the classifier"),
        ({"mining": [tmp_path]}, "gold.tsv"),
    ):
        with pytest.raises(UserError, match=message):
            run_grid(project, grid_of(tmp_path, ["dim=16"], **values))
    assert not any((project.folder / "encoders").iterdir())
