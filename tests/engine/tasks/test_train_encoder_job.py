"""The training job: what is left out, measured, recorded, steered and gone on from."""

import re
import shlex
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

from app.cli.main import build_parser
from app.engine.edits.runs import drop_run
from app.engine.encoders.folder import read_config
from app.engine.encoders.registry import load_encoder
from app.engine.project.project import create_project
from app.engine.project.runs import find_interrupted, perform_run, queue_run
from app.engine.runtime.report import Report, SilentSink
from app.engine.store.runs import read_run
from app.engine.tasks.import_corpus import import_corpus
from app.engine.tasks.train_encoder import TrainEncoderResult, train_encoder
from app.errors import Cancelled, Paused, UserError
from app.number_format import NO_BREAK
from app.params.corpora import ImportCorpus
from app.params.training.encoder import TrainEncoder
from app.results.jobs import read_unfinished
from tests.engine.training.making import Curve, finish, pause
from tests.engine.training.synthetic import make_pairs, write_pairs

TINY: dict[str, Any] = {
    "name": "tiny",
    "n_pieces": 300,
    "n_bigrams": 64,
    "n_ngrams": 0,
    "dim": 16,
    "n_steps": 20,
    "batch_size": 32,
    "n_warmup": 5,
    "lr": 0.03,
    "checkpoint_every_s": 3600,
}
BILSTM = {
    "architecture": "bilstm",
    "embed_dim": 16,
    "batch_size": 16,
    "batch_tokens": 400,
    "precision": "float32",
}


def params(folder: Path, **values: Any) -> TrainEncoder:
    file = folder / "eng-deu.tsv"
    if not file.exists():
        write_pairs(file, 300)
    settings = {**TINY, "out": folder / "out" / "tiny", "pairs": (file,), **values}
    return TrainEncoder(**settings)


def train(settings: TrainEncoder, curve: Curve | None = None) -> TrainEncoderResult:
    return train_encoder(None, settings, curve.report if curve else Report())


def test_what_is_kept_out_and_what_is_measured_on_is_counted(tmp_path: Path) -> None:
    kept_out = tmp_path / "test.txt"
    sides = [pair[i % 2] for i, pair in enumerate(make_pairs(20))]
    kept_out.write_text("\n".join(sides).upper() + "\n", encoding="utf-8")
    curve = Curve()
    result = train(
        params(tmp_path, kept_out=(kept_out,), n_development=10, evaluate_every=10),
        curve,
    )
    (counts,) = result.counts
    assert result.n_left_out == counts.n_left_out >= 20  # in capitals, of either side
    assert counts.n_development == 10
    assert result.n_pairs == counts.n_trained <= 300 - 20 - 10
    assert any("of a development or test set (German" in note for note in result.notes)
    assert result.development_error == curve.points[result.kept_step]["dev.error.deu"]
    assert result.kept_step in (0, 10, 20)


def test_the_card_says_what_was_done_and_how_to_do_it_again(tmp_path: Path) -> None:
    settings = params(tmp_path, n_development=10, evaluate_every=10)
    result = train(settings)
    card = (Path(result.folder) / "README.md").read_text(encoding="utf-8")
    record = result.record
    for text in (
        *record.hashes,
        *record.hashes.values(),
        *record.versions.values(),
        f"| threads | {torch.get_num_threads()} |",
        "| precision | float32 |",
        "| German | 300 | ",
        record.command,
        "Ended after 20 of 20 steps; the weights are those of step",
    ):
        assert text in card
    assert f"| mean | {100 * (result.development_error or 0):.1f}{NO_BREAK}% |" in card
    assert "n_heads" not in card  # it does nothing in a static encoder
    assert str(tmp_path) not in card  # a card travels
    words = shlex.split(record.command)
    options = vars(build_parser().parse_args(words[3:]))
    assert (words[3], options["n_development"]) == ("train-encoder", 10)
    assert options["pairs"] == ["eng-deu.tsv"]
    assert record.settings["n_steps"] == 20


def test_what_is_kept_out_begins_a_training_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(Paused):
        train(params(tmp_path), Curve(10, pause))
    kept_out = tmp_path / "test.txt"
    kept_out.write_text(make_pairs(1)[0][0] + "\n", encoding="utf-8")
    assert train(params(tmp_path, kept_out=(kept_out,))).resumed_at_step == 0


@pytest.mark.parametrize(
    "values",
    [BILSTM, {"architecture": "static", "clip_norm": 1.0}],
    ids=["bilstm", "static module"],
)
def test_a_paused_training_goes_on_to_the_same_encoder(
    values: dict[str, Any], tmp_path: Path
) -> None:
    settings = params(tmp_path, **values)
    with pytest.raises(Paused):
        train(settings, Curve(10, pause))
    resumed = train(settings)
    whole = train(msgspec.structs.replace(settings, out=tmp_path / "out" / "whole"))
    assert (resumed.resumed_at_step, whole.resumed_at_step) == (10, 0)
    fingerprints = {load_encoder(one.folder).fingerprint for one in (resumed, whole)}
    assert len(fingerprints) == 1
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == ["tiny", "whole"]


def test_finish_saves_an_encoder_and_says_so(tmp_path: Path) -> None:
    result = train(params(tmp_path, n_steps=500), Curve(10, finish))
    assert (result.ending, result.n_steps) == ("finished early", 10)
    assert load_encoder(result.folder).encode(["ba do"]).shape == (1, 16)
    card = (Path(result.folder) / "README.md").read_text(encoding="utf-8")
    assert "Ended after 10 of 500 steps on request." in card


def test_several_objectives_train_words_and_heads(tmp_path: Path) -> None:
    curve = Curve()
    result = train(
        params(
            tmp_path,
            architecture="transformer",
            units="words",
            n_ngrams=200,
            n_heads=2,
            embed_dim=8,
            filter_dim=16,
            pooling="mean",
            precision="float32",
            objectives=("ranking", "distillation:0.5"),
            n_accumulated=2,
        ),
        curve,
    )
    assert {"loss", "loss.ranking", "loss.distillation", "lr"} <= curve.points[
        20
    ].keys()
    encoder = load_encoder(result.folder)
    assert encoder.encode(["ba do", ""]).shape == (2, 16)
    config = read_config(Path(result.folder))
    assert config.languages == ("deu", "eng")


class Notes(SilentSink):
    """Keeps the texts of the progress."""

    def __init__(self) -> None:
        self.shown: set[str] = set()

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        self.shown |= {stage, note}


def test_translation_learns_from_corpora_of_a_project(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.tsv", 120)
    kept = tmp_path / "kept.txt"
    kept.write_text(make_pairs(120)[7][1] + "\n", encoding="utf-8")
    with create_project(tmp_path / "p") as project:
        both = ImportCorpus(
            files=(pairs,),
            languages=("en", "de"),
            columns=("1", "2"),
            header="no",
            format="tsv",
        )
        first, second = import_corpus(project, both, Report()).corpora
        import_corpus(project, ImportCorpus(files=(kept,), languages=("de",)), Report())
        settings = params(
            tmp_path,
            **BILSTM,
            pairs=(),
            out=None,
            corpora=(str(first.id),),
            kept_out_corpora=("kept",),
            objectives=("translation",),
            decoder_dim=16,
            language_dim=4,
            n_development=10,
            evaluate_every=10,
        )
        notes = Notes()
        result = train_encoder(project, settings, Report(notes))
        assert load_encoder("tiny", project.folder).encode(["ba"]).shape == (1, 16)
    assert result.n_left_out >= 1
    assert read_config(Path(result.folder)).languages == ("de", "en")
    assert any("into English" in note for note in result.notes)
    assert "measuring German" in notes.shown
    of_ids = re.compile(r"\d+-\d+|set\d+|corpus \d+")
    assert not [one for one in notes.shown if of_ids.search(one)]
    card = (Path(result.folder) / "README.md").read_text(encoding="utf-8")
    assert f"| corpora | {first.name} |" in card
    assert f".tsv ({first.name}, {second.name}) | `" in card


def test_a_training_goes_on_from_an_encoder_of_equal_sizes(tmp_path: Path) -> None:
    for values in ({}, BILSTM):
        first = train(params(tmp_path, **values, out=tmp_path / f"first{len(values)}"))
        settings = params(
            tmp_path,
            **values,
            initial=first.folder,
            lr=1e-8,
            n_steps=2,
            storage="float32",
        )
        settings = msgspec.structs.replace(settings, out=tmp_path / f"on{len(values)}")
        again = train(settings)
        texts = [pair[0] for pair in make_pairs(5)]
        one, other = (load_encoder(r.folder).encode(texts) for r in (first, again))
        assert abs(one - other).max() < 0.02 * abs(one).max()  # but for the rounding
    with pytest.raises(UserError, match=r"different sizes \(dim 16\)"):
        train(params(tmp_path, initial=str(tmp_path / "first0"), dim=32))
    with pytest.raises(UserError, match="is a static encoder"):
        train(params(tmp_path, **BILSTM, initial=str(tmp_path / "first0")))


def test_text_without_pairs_trains_too(tmp_path: Path) -> None:
    nli = tmp_path / "nli.tsv"
    labels = ("entailment", "neutral", "contradiction")
    pairs = make_pairs(90)
    lines = [f"{labels[i % 3]}\t{a}\t{b}\n" for i, (a, b) in enumerate(pairs)]
    nli.write_text("".join(lines), encoding="utf-8")
    kept_out = tmp_path / "test.txt"
    kept_out.write_text(pairs[4][0] + "\n", encoding="utf-8")
    first = train(params(tmp_path))
    result = train(
        params(
            tmp_path,
            **BILSTM,
            pairs=(),
            nli=(nli,),
            kept_out=(kept_out,),
            vocabulary=Path(first.folder),
            objectives=("nli",),
            out=tmp_path / "out" / "nli",
        )
    )
    assert result.n_pairs == 89
    assert "nli.tsv" in result.record.hashes
    assert result.counts == ()
    assert any("1 " in note and "test set" in note for note in result.notes)


def test_a_training_that_is_given_up_takes_its_checkpoints_along(
    tmp_path: Path,
) -> None:
    settings = params(tmp_path, out=None)
    other = msgspec.structs.replace(settings, seed=2)
    with create_project(tmp_path / "p") as project:
        runs = []
        for one in (settings, other):
            curve = Curve(10, pause)
            runs.append(queue_run(project, one))
            curve.report.run = runs[-1]
            with pytest.raises(Paused):
                perform_run(project, one, curve.report)
        assert len(list((project.folder / "encoders").glob(".tiny.training-*"))) == 2
        drop_run(project, runs[0])
        (left,) = (project.folder / "encoders").glob(".tiny.training-*")
        assert find_interrupted(project, other) == runs[1]
        assert train_encoder(project, other, Report()).resumed_at_step == 10
        assert not left.exists()


def test_a_running_training_records_its_last_checkpoint(tmp_path: Path) -> None:
    settings = params(tmp_path, out=None, n_steps=40, checkpoint_every_s=0.001)
    with create_project(tmp_path / "p") as project:
        run = queue_run(project, settings)
        seen = []

        def look(report: Report) -> None:  # as a kill would leave it
            row = read_run(project.store, run)
            assert row is not None
            seen.append((row.state, read_unfinished(row.result)))
            report.cancel()

        report = Curve(30, look).report
        report.run = run
        with pytest.raises(Cancelled):
            perform_run(project, settings, report)
    ((state, at),) = seen
    assert state == "running"
    assert 0 < at.n_done <= 30
    assert at.n_total == 40
    assert not at.is_paused


def test_a_cancelled_training_keeps_its_progress_until_it_is_discarded(
    tmp_path: Path,
) -> None:
    settings = params(tmp_path, out=None, n_steps=40)
    with create_project(tmp_path / "p") as project:
        run = queue_run(project, settings)
        cancelled = Curve(10, Report.cancel).report
        cancelled.run = run
        with pytest.raises(Cancelled):
            perform_run(project, settings, cancelled)
        row = read_run(project.store, run)
        assert row is not None
        assert row.state == "cancelled"
        at = read_unfinished(row.result)
        assert (at.is_paused, at.n_done, at.n_total) == (False, 10, settings.n_steps)
        assert queue_run(project, settings, resume=run) == run
        again = Curve(20, Report.cancel).report
        again.run = run
        with pytest.raises(Cancelled):
            perform_run(project, settings, again)
        row = read_run(project.store, run)
        assert row is not None
        assert read_unfinished(row.result).n_done == 20
        drop_run(project, run)
        assert not list((project.folder / "encoders").glob(".tiny.training-*"))
        with pytest.raises(UserError, match="no progress to delete"):
            drop_run(project, run)


def test_settings_that_do_not_fit_the_data_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="NLI files are missing"):
        train(params(tmp_path, pairs=(), objectives=("nli",)))
    with pytest.raises(UserError, match="Unknown objective 'other'"):
        train(params(tmp_path, objectives=("other",)))
    (tmp_path / "more").mkdir()
    twin = write_pairs(tmp_path / "more" / "eng-deu.tsv", 5)
    with pytest.raises(UserError, match="Two pair files are named eng-deu"):
        train(params(tmp_path, pairs=(tmp_path / "eng-deu.tsv", twin)))
