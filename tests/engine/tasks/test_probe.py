"""Probing a real encoder and one of known vectors: scores, batches, what is bad."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import pytest

from app.cli.main import build_parser
from app.engine.encoders.configs import WordBagConfig
from app.engine.encoders.word_bag import save_word_bag
from app.engine.heads import perceptrons
from app.engine.probing.untrained_encoders import UntrainedEncoders
from app.engine.project.project import create_project
from app.engine.project.runs import perform_run, queue_run
from app.engine.runtime.report import Report
from app.engine.store.runs import read_measurements
from app.engine.tasks import probe as module
from app.engine.tasks.probe import ProbeResult, describe_accuracies, probe
from app.errors import Cancelled, UserError
from app.params import build_params
from app.params.flags import command_text
from app.params.probing import Probe
from app.results.measurements import Probed
from tests.engine.classify.barn import add_labelled
from tests.engine.classify.word_encoder import WordEncoder
from tests.engine.classify.word_encoder import make_rows as make_topics
from tests.engine.encoders.tiny import save_tiny
from tests.engine.probing.made import FILLERS, make_file, make_rows, write_rows
from tests.engine.search.made import add_corpus

BASELINES = {
    *("majority", "length", "tfidf", "bigrams"),
    *("random_vectors", "word_vectors"),
    *("idf_vectors", "sif_vectors", "sif_less_component"),
}


class CountingEncoder(WordEncoder):
    """Knows how many texts it has encoded."""

    def __init__(self, name: str = "words", broken: str = "") -> None:
        self.name, self.fingerprint, self.broken = name, name * 8, broken
        self.n_texts = 0

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.n_texts += len(texts)
        vectors = super().encode(texts)
        for row, text in enumerate(texts):
            if self.broken and self.broken in text:
                vectors[row, 0] = np.nan
        return vectors


@pytest.fixture
def encoders(monkeypatch: pytest.MonkeyPatch) -> dict[str, CountingEncoder]:
    found = {"words": CountingEncoder(), "broken": CountingEncoder("broken", "vote")}
    monkeypatch.setattr(module, "find_encoder", lambda *_: Path())
    monkeypatch.setattr(
        module, "load_encoder", lambda name, *_, **__: found[name or "words"]
    )
    monkeypatch.setattr(UntrainedEncoders, "get", lambda *_: None)
    return found


def run(*files: Path, **fields: Any) -> ProbeResult:
    params = build_params(Probe, {"data": files, **fields})
    return probe(None, params, Report())


@pytest.mark.usefixtures("encoders")
def test_what_is_in_the_vectors_is_found_and_told_with_its_rivals(
    tmp_path: Path,
) -> None:
    result = run(make_file(tmp_path / "de.subj_number.tsv"))
    told = "Accuracy on de.subj_number.tsv (40 test rows): words 100.0\u00a0%."
    assert result.message == told
    (row,) = result.results
    assert (row.task, row.language, row.encoder) == ("SubjNum", "de", "words")
    assert (row.n, row.n_train, row.n_classes) == (40, 60, 2)
    assert row.accuracy == 1
    assert [*row.accuracies, *row.accuracy_interval] == [1] * 5
    assert set(row.baselines) == BASELINES
    assert row.baselines["majority"] == row.baselines["length"] == 0.5
    assert row.baselines["tfidf"] > 0.9
    assert row.control_accuracy is not None
    assert row.selectivity == pytest.approx(1 - row.control_accuracy)
    assert (
        "words was not trained here, so the untrained baseline is missing." in row.note
    )


def test_the_message_has_the_mean_accuracy_of_each_encoder() -> None:
    def row(encoder: str, data: str, accuracy: float) -> Probed:
        return Probed(
            encoder=encoder,
            data=data,
            task="",
            language="",
            classifier="mlp",
            n=1_000,
            n_train=10,
            n_classes=2,
            accuracy=accuracy,
            accuracy_interval=(0, 1),
        )

    rows = [row("one", "a", 0.5), row("one", "b", 0.8), row("two", "a", 0.25)]
    rows += [row(name, "a", 0.5) for name in ("three", "four", "five")]
    assert describe_accuracies(rows) == (
        "Mean accuracy on 2 probing sets (2,000 test rows): one 65.0\u00a0%, "
        "two 25.0\u00a0%, three 50.0\u00a0%, and 2 more."
    )


@pytest.mark.usefixtures("encoders")
def test_the_labels_of_a_corpus_are_a_task(tmp_path: Path) -> None:
    params = Probe(corpora=("topics", "Neues"))
    with create_project(tmp_path / "p") as project:
        rows = dict.fromkeys((text, label) for label, text in make_topics(400))
        add_labelled(project, "topics", "en", [(label, text) for text, label in rows])
        add_corpus(project, "Neues", "de", ["ohne Klasse"])
        result = probe(project, params, Report())
        with pytest.raises(UserError, match=r"Choose a probing file or a labelled"):
            probe(project, Probe(), Report())
    (row,) = result.results
    assert (row.data, row.task, row.language) == ("topics", "topics", "en")
    assert row.n_classes == 3
    assert row.accuracy > 0.9
    assert any("No active sentence of Neues has a label" in one for one in result.notes)
    with pytest.raises(UserError, match="need a project"):
        probe(None, params, Report())


@pytest.mark.usefixtures("encoders")
def test_the_perceptron_finds_it_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(perceptrons, "HIDDEN", (4, 6))
    monkeypatch.setattr(perceptrons, "L2", (1e-4,))
    monkeypatch.setattr(perceptrons, "LR", 0.05)
    file = make_file(tmp_path / "x.tsv")
    (row,) = run(file, classifiers=["mlp"], seeds=2).results
    assert row.classifier == "mlp"
    assert row.accuracy > 0.9
    assert len(row.accuracies) == 2
    assert {"hidden", "dropout", "l2", "epoch"} == set(row.settings)
    assert row.settings["hidden"] in (4, 6)
    assert row.selectivity is not None
    assert set(row.baselines) == BASELINES


@pytest.mark.parametrize("weighting", ["mean", "idf", "sif"])
def test_averaged_word_vectors_are_probed_as_any_encoder(
    tmp_path: Path, weighting: Literal["mean", "idf", "sif"]
) -> None:
    words = (*FILLERS, "the", "team")
    table = np.random.default_rng(1).normal(size=(len(words), 8)).astype(np.float32)
    texts = [text for *_, text in make_rows(60, "tr", seed=1)]
    config = WordBagConfig(name="bag", dim=8, weighting=weighting)
    folder = tmp_path / "bag"
    save_word_bag(folder, config, words, table, texts, Report())
    (row,) = run(make_file(tmp_path / "x.tsv"), encoders=[str(folder)]).results
    assert row.encoder == "bag"
    assert row.accuracy > 0.9  # the label is a word, and its vector is in the mean
    assert row.baselines["majority"] == 0.5


def test_a_real_encoder_has_an_untrained_twin_and_the_json_its_keys(
    tmp_path: Path,
) -> None:
    save_tiny(tmp_path / "tiny")
    file, out = make_file(tmp_path / "x.tsv"), tmp_path / "rows.tsv"
    got = run(file, encoders=[str(tmp_path / "tiny")], seeds=1, out=out)
    (row,) = json.loads(msgspec.json.encode(got))["results"]
    wanted = {"data", "encoder", "classifier", "n", "accuracy", "accuracy_interval"}
    assert wanted | {"selectivity", "baselines"} <= row.keys()
    assert set(row["baselines"]) == BASELINES | {"untrained"}
    header, line = (text.split("\t") for text in out.read_text().splitlines())
    cells = dict(zip(header, line, strict=True))
    assert cells["encoder"] == "tiny"
    assert float(cells["untrained"]) == pytest.approx(row["baselines"]["untrained"])
    for name in BASELINES:
        assert float(cells[name]) == pytest.approx(row["baselines"][name], abs=1e-4)


@pytest.mark.usefixtures("encoders")
def test_what_is_not_asked_for_is_not_measured(
    tmp_path: Path,
) -> None:
    file = make_file(tmp_path / "x.tsv")
    (row,) = run(file, control=False, baselines=False).results
    assert not {"selectivity", "baselines", "note"} & msgspec.to_builtins(row).keys()


def test_what_is_on_anyway_is_turned_off_by_a_flag() -> None:
    values = {"data": [Path("x.tsv")], "control": False, "n_train": 9}
    words = command_text(build_params(Probe, values), None).split()
    assert words[-4:] == ["x.tsv", "--no-control", "--n-train", "9"]
    parsed = vars(build_parser().parse_args(words[3:]))
    assert parsed["control"] is False
    assert "baselines" not in parsed


@pytest.mark.usefixtures("encoders")
def test_a_file_with_few_test_rows_is_noted(tmp_path: Path) -> None:
    rows = make_rows(60, "tr", seed=1) + make_rows(30, "va", seed=2)
    few = write_rows(tmp_path / "few.tsv", rows + make_rows(6, "te", seed=3))
    (note,) = run(few, seeds=1, control=False, baselines=False).notes
    assert note.startswith("few.tsv has only 6 test rows: differences between")


@pytest.mark.usefixtures("encoders")
def test_bad_files_and_encoders_do_not_keep_the_others(tmp_path: Path) -> None:
    good = make_file(tmp_path / "good.tsv")
    tabs = write_rows(tmp_path / "tabs.tsv", [("tr", "a", "x", "y")])
    split = write_rows(tmp_path / "split.tsv", make_rows(9, "tr", seed=1))
    got = run(*(tabs, good, split, tmp_path / "none.tsv"), encoders=["broken", "words"])
    assert [(row.data, row.encoder) for row in got.results] == [("good.tsv", "words")]
    said = (
        "tabs.tsv, line 1:",
        "good.tsv, broken: ",
        "no rows of the split va",
        "none",
    )
    assert len(got.notes) == 4
    for note, words in zip(got.notes, said, strict=True):
        assert words in note
    first = next(
        number
        for number, line in enumerate(good.read_text().splitlines(), 1)
        if "vote" in line
    )
    assert f"good.tsv, line {first}: broken returns a vector" in got.notes[1]


@pytest.mark.usefixtures("encoders")
def test_nothing_but_bad_files_is_an_error_and_no_file_is_written(
    tmp_path: Path,
) -> None:
    out = tmp_path / "rows.tsv"
    with pytest.raises(UserError, match=r"none\.tsv does not exist"):
        run(tmp_path / "none.tsv", out=out)
    with pytest.raises(UserError, match=r"doesn't exist\. Create it"):
        run(make_file(tmp_path / "x.tsv"), out=tmp_path / "no" / "rows.tsv")
    assert not out.exists()


@pytest.mark.usefixtures("encoders")
def test_rows_are_written_over_rows_but_never_over_the_data(tmp_path: Path) -> None:
    data, out = make_file(tmp_path / "x.tsv"), tmp_path / "rows.tsv"
    before = data.read_bytes()
    with pytest.raises(
        UserError, match=r"doesn't contain measurements\. Choose another name"
    ):
        run(data, out=data)
    assert data.read_bytes() == before
    for _ in range(2):
        run(data, seeds=1, control=False, baselines=False, out=out)
    assert len(out.read_text(encoding="utf-8").splitlines()) == 2
    assert sorted(tmp_path.iterdir()) == [out, data]


def test_an_encoder_that_there_is_not_is_refused_before_the_work(
    tmp_path: Path,
) -> None:
    with pytest.raises(UserError, match="Unknown encoder 'nobody'"):
        run(make_file(tmp_path / "x.tsv"), encoders=["nobody"])


@pytest.mark.usefixtures("encoders")
def test_a_thousand_classes_with_three_rows_each_are_probed(tmp_path: Path) -> None:
    words = ("ball", "goal", "team", "tax", "vote", "law", "rain", "snow", "wind")
    rows = []
    for one in range(1_000):
        text = f"the {words[one % 9]} {words[one // 9 % 9]} {words[one // 81 % 9]}"
        rows += [(split, f"c{one}", text) for split in ("tr", "va", "te")]
    file = write_rows(tmp_path / "word_content.tsv", rows)
    (row,) = run(file, classifiers=["mlp"], control=False, baselines=False).results
    assert (row.classifier, row.n_classes, row.task) == ("logistic", 1_000, "WC")
    assert 0 <= row.accuracy <= 0.3
    assert "Half of the 1,000 classes have at most 1 training rows" in row.note
    assert "1,000 test rows with the same text as a training row" in row.note
    assert "Logistic regression replaced the MLP" in row.note


def test_each_text_is_encoded_once_and_kept(
    tmp_path: Path, encoders: dict[str, CountingEncoder]
) -> None:
    file = make_file(tmp_path / "x.tsv")
    params = build_params(Probe, {"data": [file]})
    with create_project(tmp_path / "p.isogloss") as project:
        one, other = (probe(project, params, Report()) for _ in range(2))
    assert encoders["words"].n_texts == 130
    assert one == other


class Stops(Report):
    """A report that cancels at the first step in a file."""

    def __init__(self, run: int, name: str):
        super().__init__(run=run)
        self._name = name

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        if stage == "Probing":
            assert done < total == 8
            if note.startswith(self._name):
                self.cancel()
        super().step(stage, done, total, note)


def test_a_run_goes_on_after_the_last_file_that_it_finished(
    tmp_path: Path, encoders: dict[str, CountingEncoder]
) -> None:
    files = [make_file(tmp_path / name) for name in ("one.tsv", "two.tsv")]
    params = build_params(Probe, {"data": files})
    with create_project(tmp_path / "p.isogloss") as project:
        run = queue_run(project, params)
        with pytest.raises(Cancelled):
            perform_run(project, params, Stops(run, "two.tsv"))
        kept = read_measurements(project.store, run)
        assert [row.data for row in kept if isinstance(row, Probed)] == ["one.tsv"]
        n_texts = encoders["words"].n_texts
        got = perform_run(project, params, Report(run=run))
        assert encoders["words"].n_texts == n_texts  # two.tsv's are equal texts
        rows = read_measurements(project.store, run)
        assert rows[0] == kept[0]
        assert msgspec.to_builtins(rows) == list(got["results"])
    whole = probe(None, params, Report())
    assert tuple(rows) == whole.results


def test_two_encoders_of_one_name_are_told_apart(tmp_path: Path) -> None:
    folders = [tmp_path / parent / "tiny" for parent in ("a", "b")]
    for seed, folder in enumerate(folders):
        folder.parent.mkdir()
        save_tiny(folder, seed=seed)
    named = [str(folder) for folder in folders]
    file = make_file(tmp_path / "x.tsv")
    got = run(file, encoders=named, control=False, baselines=False)
    assert [row.encoder for row in got.results] == named


@pytest.mark.usefixtures("encoders")
def test_two_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    files = [make_file(tmp_path / "x.tsv"), make_file(tmp_path / "a" / "x.tsv")]
    got = run(*files, control=False, baselines=False, n_train=20)
    assert [row.data for row in got.results] == [str(file) for file in files]
    assert {row.n_train for row in got.results} == {20}
