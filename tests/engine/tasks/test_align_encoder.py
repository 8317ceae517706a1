"""Adding a language: the combined encoder, its space, the resume and the refusals."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from sqlalchemy import insert

from app.engine.encoders.folder import (
    fingerprint_of,
    read_config,
    write_config,
)
from app.engine.encoders.registry import list_encoders, load_encoder
from app.engine.numeric import normalise_rows
from app.engine.project.project import create_project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks.add_encoder import add_encoder
from app.engine.tasks.align_encoder import align_encoder
from app.engine.text.subword_vocabulary import Vocabulary
from app.errors import Cancelled, ResourceError, UserError
from app.params import build_params
from app.params.encoders import AddEncoder, AlignEncoder
from app.results.alignment import read_curve
from tests.engine.search.made import add_corpus
from tests.engine.tasks.test_train_encoder import CancelAt
from tests.engine.training.objectives.making import DIM, save_encoder
from tests.engine.training.synthetic import (
    N_WORDS,
    english_word,
    foreign_word,
    make_pairs,
    write_pairs,
)

LABELS = ("entailment", "neutral", "contradiction")


@pytest.fixture
def english(tmp_path: Path, vocabulary: Vocabulary) -> Path:
    return save_encoder(tmp_path / "english", vocabulary, DIM)


def params(tmp_path: Path, **values: Any) -> AlignEncoder:
    file = tmp_path / "eng-xxx.tsv"
    settings: dict[str, Any] = {
        "english": str(tmp_path / "english"),
        "pairs": file if file.exists() else write_pairs(file, 400),
        "out": tmp_path / "added",
        "architecture": "cbow",
        "n_pieces": 300,
        "n_ngrams": 512,
        "n_steps": 400,
        "batch_size": 32,
        "lr": 0.02,
        "precision": "float32",
    }
    made: AlignEncoder = build_params(AlignEncoder, settings | values)
    return made


def cosines(folder: Path) -> np.ndarray:
    """Return the cosines of unseen English sentences and their translations."""
    encoder = load_encoder(str(folder))
    sides = zip(*make_pairs(50, seed=9), strict=True)
    first, second = (normalise_rows(encoder.encode(side))[0] for side in sides)
    return np.asarray(first @ second.T)


@pytest.mark.parametrize("architecture", ["cbow", "bilstm"])
def test_unseen_sentences_are_where_their_translations_are(
    tmp_path: Path, english: Path, architecture: str
) -> None:
    sizes = {"embed_dim": 32, "hidden_dim": 32, "dropout": 0.0}
    settings = params(tmp_path, architecture=architecture, **sizes)
    before = fingerprint_of(english)
    result = align_encoder(None, settings, Report())
    found = cosines(result.folder)
    # by chance one of 50 would be the nearest
    assert (found.argmax(axis=1) == np.arange(50)).mean() > 0.6
    assert np.diag(found).mean() > found.mean() + 0.4
    assert fingerprint_of(english) == before
    assert fingerprint_of(result.folder / "base") == before
    assert result.language == "xxx"
    assert result.n_pairs == 360
    assert result.routed_other == result.routed_english == 1
    assert result.development_error is not None
    assert result.development_error < 0.4
    assert "eng-xxx.tsv" in (result.folder / "README.md").read_text(encoding="utf-8")
    assert not list(tmp_path.glob(".added*"))


def test_the_curve_falls_and_is_kept_with_the_language(
    tmp_path: Path, english: Path
) -> None:
    result = align_encoder(None, params(tmp_path, evaluate_every=100), Report())
    assert [point.step for point in result.curve] == [0, 100, 200, 300, 400]
    assert result.curve[-1].loss < result.curve[0].loss - 0.1
    curve = read_curve(result.folder / "languages" / "xxx")
    assert curve is not None
    assert curve.points == result.curve
    assert min(p.loss for p in curve.points) == result.development_loss
    assert read_curve(tmp_path) is None


def write_labelled(file: Path, n: int, word_of: Callable[[int], str]) -> Path:
    """Write pairs whose label depends on the words of the hypothesis alone."""
    generator = np.random.default_rng(n)
    rows = []
    for i in range(n):
        label = i % 3
        words = 33 * label + generator.integers(0, 33, 4)
        premise = " ".join(map(word_of, generator.integers(0, N_WORDS, 4)))
        hypothesis = " ".join(map(word_of, words))
        rows.append(f"{LABELS[label]}\t{premise}\t{hypothesis}\n")
    file.write_text("".join(rows), encoding="utf-8")
    return file


def test_the_english_classifier_is_tested_in_the_new_language(
    tmp_path: Path, english: Path
) -> None:
    nli = (write_labelled(tmp_path / "nli.tsv", 900, english_word),)
    test = write_labelled(tmp_path / "test.tsv", 150, foreign_word)
    settings = params(tmp_path, nli=nli, nli_test=test)
    result = align_encoder(None, settings, Report())
    assert result.english_accuracy is not None
    assert result.accuracy is not None
    assert result.english_accuracy > 0.7
    assert result.accuracy > 0.6
    first = result.curve[0].accuracy
    assert first is not None
    assert first < 0.5  # by chance a third is correct
    with pytest.raises(UserError, match="two files"):
        align_encoder(None, params(tmp_path, out=tmp_path / "other", nli=nli), Report())


def test_a_stopped_alignment_resumes_with_the_same_result(
    tmp_path: Path, english: Path
) -> None:
    settings = params(tmp_path, n_steps=120, evaluate_every=40, checkpoint_every_s=1e-6)
    with pytest.raises(Cancelled):
        align_encoder(None, settings, CancelAt(60).report)
    resumed = align_encoder(None, settings, Report())
    whole = align_encoder(
        None,
        params(tmp_path, n_steps=120, evaluate_every=40, out=tmp_path / "whole"),
        Report(),
    )
    assert resumed.resumed_at_step == 60
    assert whole.resumed_at_step == 0
    assert resumed.curve == whole.curve
    assert fingerprint_of(resumed.folder) == fingerprint_of(whole.folder)


def test_a_second_language_joins_the_first(tmp_path: Path, english: Path) -> None:
    first = align_encoder(None, params(tmp_path, n_steps=20), Report())
    file = tmp_path / "eng-yyy.tsv"
    lines = [
        f"{english}\t{other.upper().translate(str.maketrans('ЯЭИЮЫ', 'ΑΕΙΟΥ'))}\n"
        for english, other in make_pairs(200)
    ]
    file.write_text("".join(lines), encoding="utf-8")
    second = align_encoder(
        None,
        params(
            tmp_path,
            english=str(first.folder),
            pairs=file,
            out=tmp_path / "two",
            n_steps=20,
        ),
        Report(),
    )
    assert second.languages == ("xxx", "yyy")
    assert second.routed_other == second.routed_english == 1
    kept = second.folder / "languages" / "xxx"
    assert fingerprint_of(kept) == fingerprint_of(first.folder / "languages" / "xxx")
    assert read_config(second.folder).languages == ("en", "xxx", "yyy")
    with pytest.raises(UserError, match="already added"):
        align_encoder(
            None,
            params(tmp_path, english=str(second.folder), out=tmp_path / "three"),
            Report(),
        )


def test_a_project_has_the_new_encoder_and_can_add_one(
    tmp_path: Path, english: Path
) -> None:
    with create_project(tmp_path / "p") as project:
        settings = params(tmp_path, out=None, name="plus", n_steps=5)
        result = align_encoder(project, settings, Report())
        assert result.folder == project.folder / "encoders" / "plus"
        source = AddEncoder(source=result.folder, name="copied")
        added = add_encoder(project, source, Report())
        assert fingerprint_of(added.folder) == fingerprint_of(result.folder)
        infos = {one.name: one for one in list_encoders(project.folder)}
        assert infos["copied"].architecture == "combined"
        assert infos["plus"].languages == ("en", "xxx")


def test_the_pairs_can_be_those_of_a_linked_corpus(
    tmp_path: Path, english: Path
) -> None:
    pairs = make_pairs(120, seed=1)
    with create_project(tmp_path / "p") as project:
        sides = list(zip(*pairs, strict=True))
        ids = [
            add_corpus(project, "Wolof", "wol", list(sides[1])),
            add_corpus(project, "English", "en", list(sides[0])),
        ]
        first = [first_sentence_id(one) for one in ids]
        links = [
            {"source_id": first[0] + n, "target_id": first[1] + n, "kind": "imported"}
            for n in range(120)
        ]
        with project.store.begin() as connection:
            connection.execute(insert(schema.link), links)
        fields: dict[str, Any] = {"pairs": None, "out": None, "n_steps": 2}
        settings = params(tmp_path, **fields, corpus="Wolof", name="plus")
        result = align_encoder(project, settings, Report())
        assert result.language == "wo"
        assert result.n_pairs == 108  # a tenth is held out
        (folder,) = (project.folder / "encoders").glob("[!.]*")
        assert folder.name == "plus"
        assert not list((project.folder / "encoders").glob(".plus*"))
        unlinked = params(tmp_path, **fields, corpus="English", name="other")
        with pytest.raises(UserError, match="No sentence of English is linked to an"):
            align_encoder(project, unlinked, Report())
        neither = params(tmp_path, **fields, name="other")
        with pytest.raises(UserError, match="Choose a file of translations, or a"):
            align_encoder(project, neither, Report())


def test_a_known_language_is_counted_once_and_measured_before_and_after(
    tmp_path: Path, english: Path
) -> None:
    config = msgspec.structs.replace(read_config(english), languages=("eng", "deu"))
    write_config(english, config)
    settings = params(tmp_path, language="de", n_steps=5)
    result = align_encoder(None, settings, Report())
    assert read_config(result.folder).languages == ("eng", "deu")
    assert result.error_before is not None
    assert result.development_error is not None
    assert "Retrieval error in German on held-out pairs: " in result.message
    is_better = result.error_before < result.development_error
    assert ("is better for German" in result.message) == is_better
    assert result.notes[0] in result.message


def test_a_new_language_has_no_error_before(tmp_path: Path, english: Path) -> None:
    result = align_encoder(None, params(tmp_path, n_steps=2), Report())
    assert result.error_before is None
    assert result.message.endswith("as added.")


@pytest.mark.parametrize("negatives", [-0.1, 0.5, 1.0])
def test_only_weights_below_one_half_are_accepted(
    tmp_path: Path, negatives: float
) -> None:
    with pytest.raises(msgspec.ValidationError, match="negatives"):
        params(tmp_path, negatives=negatives)


def test_invalid_pairs_are_users_errors(tmp_path: Path, english: Path) -> None:
    def refuse(content: str, match: str, **values: Any) -> None:
        file = tmp_path / "given.tsv"
        file.write_text(content, encoding="utf-8")
        with pytest.raises(UserError, match=match):
            align_encoder(None, params(tmp_path, pairs=file, **values), Report())
        assert not (tmp_path / "added").exists()
        assert not list(tmp_path.glob(".added*"))

    refuse("", "empty")
    refuse("no second column\n" * 3, "no tab")
    refuse("kilu\tяю\n", "Fewer than two")
    refuse("kilu bado\tkilu bado\nmeno\tmeno\n", "identical")
    refuse("kilu\tяю\nmeno\tэи\n", "can't be English", language="eng")
    with pytest.raises(ResourceError, match=r"no\.tsv"):
        align_encoder(None, params(tmp_path, pairs=tmp_path / "no.tsv"), Report())
    with pytest.raises(UserError, match="Unknown encoder"):
        align_encoder(None, params(tmp_path, english="nothing"), Report())
    with pytest.raises(UserError, match="already exists"):
        align_encoder(None, params(tmp_path, out=english), Report())


def test_the_language_of_an_unnamed_file_is_guessed_or_unknown(
    tmp_path: Path, english: Path
) -> None:
    file = tmp_path / "given.tsv"
    texts = "Das Schiff verlässt am Morgen den Hafen", "Die Kinder spielen im Garten"
    file.write_text(
        "".join(f"kilu bado {i}\t{texts[i % 2]} {i}.\n" for i in range(40)), "utf-8"
    )
    guessed = align_encoder(None, params(tmp_path, pairs=file, n_steps=2), Report())
    assert guessed.language == "de"


def test_the_command_adds_a_language_without_a_project(
    tmp_path: Path, english: Path
) -> None:
    file = write_pairs(tmp_path / "eng-xxx.tsv", 300)
    command = [
        *(sys.executable, "-m", "app", "align-encoder", "--english", str(english)),
        *("--pairs", str(file), "--out", str(tmp_path / "out"), "--negatives", "0.1"),
        *("--architecture", "cbow", "--n-ngrams", "512", "--lr", "0.03"),
        *("--n-steps", "200"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["n_steps"] == 200
    found = cosines(tmp_path / "out")
    assert (found.argmax(axis=1) == np.arange(50)).mean() > 0.6


def test_the_command_refuses_a_weight_of_one_half(tmp_path: Path) -> None:
    command = [
        *(sys.executable, "-m", "app", "align-encoder", "--english", "isogloss-2"),
        *("--pairs", "pairs.tsv", "--out", str(tmp_path / "out")),
        *("--negatives", "0.5"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--negatives" in done.stderr
