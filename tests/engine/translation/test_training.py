"""Training from the command's params to the model's folder, also after a kill."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from app.engine.attribution.answer import attribute_similarity
from app.engine.encoders.bridge.encoder import BridgeEncoder
from app.engine.encoders.folder import fingerprint_of
from app.engine.encoders.registry import load_encoder
from app.engine.runtime.report import Report
from app.engine.tasks.evaluate_translation import evaluate_translation
from app.engine.tasks.train_translation import train_translation
from app.engine.tasks.translate import translate
from app.errors import Paused, UserError
from app.params import build_params
from app.params.translation import EvaluateTranslation, TrainTranslation, Translate
from tests.engine.probing.made import write_rows
from tests.engine.translation.made import (
    SETTINGS,
    WORDS,
    make_rows,
    train,
    translate_lines,
    write_table,
)

SCRIPT = """
import sys
from app.engine.runtime.report import Report
from app.engine.tasks.train_translation import train_translation
from app.params import params_from_json

if __name__ == "__main__":
    train_translation(None, params_from_json(sys.argv[1]), Report())
"""


def test_a_model_learns_what_it_saw(learned: Path) -> None:
    rows = make_rows()[::7]
    found = translate_lines(learned, [row["eng"] for row in rows], "eng", "deu")
    right = [one == row["deu"] for one, row in zip(found, rows, strict=True)]
    assert np.mean(right) > 0.8


def test_lines_keep_their_places(learned: Path) -> None:
    found = translate_lines(learned, ["", "the cat", "   ", "†‡"], "en", "de")
    assert len(found) == 4
    assert found[0] == found[2] == found[3] == ""
    assert found[1]


def test_sentences_of_one_word_are_trained_translated_and_scored(
    tmp_path: Path,
) -> None:
    """They have fewer pieces than the model has heads."""
    pairs = [(f"{a}{b}", f"{b}{a}") for a in "abcdef" for b in "ghijkl"]
    table = write_rows(tmp_path / "table.tsv", [("eng", "deu"), *pairs])
    values = {**SETTINGS, "table": str(table), "out": str(tmp_path / "model")}
    train_translation(None, build_params(TrainTranslation, values), Report())
    model = tmp_path / "model"
    (found,) = translate_lines(model, ["ag"], "eng", "deu")
    assert set(found) <= set("abcdefghijkl ")
    encoder = load_encoder(str(model))
    assert isinstance(encoder, BridgeEncoder)
    assert np.isfinite(encoder.in_language("eng").encode(["ag", "a"])).all()
    params = EvaluateTranslation(model=str(model), table=table)
    result = evaluate_translation(None, params, Report())
    assert [one.n for one in result.directions] == [len(pairs)] * 2
    for one in result.directions:
        assert 0 <= one.bleu <= 100
    lengths = [group.n for one in result.details for group in one.by_length]
    assert sum(lengths) == 2 * len(pairs)


def test_every_direction_is_scored_and_zero_shot_is_marked(learned: Path) -> None:
    params = EvaluateTranslation(
        model=str(learned), table=learned.parent / "table.tsv", beam_size=1
    )
    result = evaluate_translation(None, params, Report())
    zero_shot = {(d.source, d.target) for d in result.directions if d.zero_shot}
    assert zero_shot == {("deu", "fra")}
    assert len(result.directions) == 6
    assert {one.n for one in result.directions} == {len(make_rows())}
    scores = {(d.source, d.target): d.bleu for d in result.directions}
    assert scores["eng", "deu"] > 80
    detail = result.details[0]
    assert detail.bleu_low <= result.directions[0].bleu <= detail.bleu_high
    zero = next(i for i, one in enumerate(result.directions) if one.zero_shot)
    chrf, of_zero = result.directions[zero].chrf, result.details[zero]
    assert 0 < of_zero.chrf_low < chrf < of_zero.chrf_high < 100
    assert "version:" in detail.bleu_signature
    assert sum(one.n for one in detail.by_length) == len(make_rows())
    worst = detail.worst[0]
    assert (
        f"English → German: row {worst.row:,} has the lowest BLEU. Source: "
        f"“{worst.source}” Translation: “{worst.translation}” Reference: "
        f"“{worst.reference}”"
    ) in result.notes


def test_a_model_is_an_encoder_of_each_language(learned: Path) -> None:
    encoder = load_encoder(str(learned))
    assert isinstance(encoder, BridgeEncoder)
    rows = make_rows()[::5]
    vectors = {
        code: encoder.in_language(code).encode([row[code] for row in rows])
        for code in WORDS
    }
    assert vectors["eng"].shape == (len(rows), 64)
    shuffled = encoder.in_language("de").encode([row["deu"] for row in rows[::-1]])
    np.testing.assert_allclose(shuffled[::-1], vectors["deu"], atol=1e-5)
    assert len(np.unique(vectors["eng"].round(4), axis=0)) == len(rows)
    # each text's language is detected where none is known
    long = " ".join(row["fra"] for row in rows[:4])
    mixed = encoder.encode([long, ""])
    np.testing.assert_allclose(
        mixed[0], encoder.in_language("fr").encode([long])[0], atol=1e-5
    )
    assert not mixed[1].any()
    with pytest.raises(UserError, match="can't encode Finnish, only"):
        encoder.in_language("fin")


def test_a_name_chooses_heads(learned: Path) -> None:
    text = ["the cat sees the tree now"]
    mean = load_encoder(str(learned)).in_language("eng").encode(text)[0]  # type: ignore[attr-defined]
    rows = load_encoder(f"{learned}#rows")
    assert isinstance(rows, BridgeEncoder)
    assert rows.dim == 5 * 64
    matrix = rows.in_language("eng").encode(text)[0].reshape(5, 64)
    np.testing.assert_allclose(matrix.mean(axis=0), mean, atol=1e-5)
    third = load_encoder(f"{learned}#3")
    assert isinstance(third, BridgeEncoder)
    np.testing.assert_allclose(
        third.in_language("eng").encode(text)[0], matrix[2], atol=1e-5
    )
    assert len({rows.fingerprint, third.fingerprint}) == 2
    with pytest.raises(UserError, match="has no head '6'"):
        load_encoder(f"{learned}#6")


def test_attribution_shows_the_heads(learned: Path) -> None:
    text = "the cat sees the tree now"
    encoder = load_encoder(str(learned))
    found = attribute_similarity(encoder, text, "der hund hört das haus jetzt")
    heads = [one for one in found.answer.matrices if one.name == "heads of the bridge"]
    assert [one.side for one in heads] == ["first", "second"]
    assert heads[0].shape == (5, len(found.answer.first.tokens))
    n = heads[0].shape[0] * heads[0].shape[1]
    weights = found.matrices[heads[0].at : heads[0].at + n].reshape(heads[0].shape)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)
    parts = sum(one.contribution or 0.0 for one in found.answer.first.tokens)
    assert parts == pytest.approx(found.answer.cosine, abs=1e-4)


def test_paused_training_resumes_and_ends_with_the_same_weights(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    whole = fingerprint_of(train(tmp_path / "whole"))
    report = Report()
    values = {
        **SETTINGS,
        "table": str(write_table(tmp_path / "table.tsv")),
        "out": str(tmp_path / "model"),
    }

    def pause_at_5(step: int, values: dict[str, float]) -> None:
        if step >= 4:
            report.request = "pause"

    report._sink.metric = pause_at_5  # type: ignore[method-assign]
    params = build_params(TrainTranslation, values)
    with pytest.raises(Paused):
        train_translation(None, params, report)
    resumed = train_translation(None, params, Report())
    assert 0 < resumed.resumed_at_step < 8
    assert fingerprint_of(Path(resumed.folder)) == whole


def test_killed_training_ends_with_the_same_weights(tmp_path: Path) -> None:
    settings = {
        **SETTINGS,
        "n_steps": 30,
        "copies": True,
        "checkpoint_every_s": 0.1,
        "table": str(write_table(tmp_path / "table.tsv")),
        "out": str(tmp_path / "killed"),
    }
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    arguments = msgspec.json.encode({"task": "train-translation", **settings}).decode()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, str(script), arguments], env=environment
    )
    deadline = time.monotonic() + 100
    while not list(tmp_path.glob(".*/checkpoint-*.safetensors")):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert not (tmp_path / "killed").exists()
    params = build_params(TrainTranslation, settings)
    killed = train_translation(None, params, Report())
    assert killed.resumed_at_step > 0
    assert not list(tmp_path.glob(".killed.training-*"))
    other = msgspec.structs.replace(params, out=tmp_path / "whole")
    whole = train_translation(None, other, Report())
    assert whole.resumed_at_step == 0
    assert fingerprint_of(Path(killed.folder)) == fingerprint_of(Path(whole.folder))


@pytest.mark.parametrize(
    ("system", "files"),
    [
        ("attention", {"vocabulary.eng.model", "vocabulary.deu.model"}),
        ("shared", {"vocabulary.model"}),
    ],
)
def test_the_baselines_train_translate_and_encode(
    tmp_path: Path, system: str, files: set[str]
) -> None:
    model = train(tmp_path, system=system, languages=["eng", "deu"])
    assert {file.name for file in model.glob("*.model")} == files
    assert len(translate_lines(model, ["the cat sees a bird", ""], "eng", "deu")) == 2
    assert load_encoder(str(model)).encode(["the cat"]).shape == (1, 16)
    with pytest.raises(UserError, match="has no bridge"):
        load_encoder(f"{model}#1")


def test_selection_by_bleu_measures_every_direction(tmp_path: Path) -> None:
    points: dict[str, float] = {}
    report = Report()
    report._sink.metric = lambda step, values: points.update(values)  # type: ignore[method-assign]
    table = write_table(tmp_path / "table.tsv", languages=("eng", "deu"))
    values = {
        **SETTINGS,
        "table": str(table),
        "out": str(tmp_path / "model"),
        "select_by": "bleu",
    }
    train_translation(None, build_params(TrainTranslation, values), report)
    bleus = [points["dev.bleu.eng-deu"], points["dev.bleu.deu-eng"]]
    assert points["dev.error"] == pytest.approx(1 - np.mean(bleus) / 100)


def test_what_no_direction_trained_is_refused(tmp_path: Path) -> None:
    model = train(tmp_path, languages=["eng", "deu"], directions=["eng-deu"])
    with pytest.raises(UserError, match="not trained to translate from German"):
        translate_lines(model, ["die katze"], "deu", "eng")
    with pytest.raises(UserError, match=r"has no Finnish \(fin\)"):
        translate_lines(model, ["the cat"], "eng", "fin")
    with pytest.raises(UserError, match="already exists"):
        train(tmp_path, languages=["eng", "deu"], directions=["eng-deu"])
    with pytest.raises(UserError, match="an encoder without decoders"):
        translate(
            None,
            Translate(
                model="isogloss-2",
                source="eng",
                target="deu",
                file=tmp_path / "model.txt",
            ),
            Report(),
        )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"table": None}, "Choose a table or aligned corpora"),
        ({"out": None}, "Choose a folder to write the model to"),
        ({"languages": ["eng"]}, "at least two languages"),
        ({"corpora": ["letters"]}, "a table or corpora, not both"),
    ],
)
def test_settings_that_lack_something_are_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        train(tmp_path, **changes)
