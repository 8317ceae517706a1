"""LASER: its BiLSTM against its formulas, its pieces, and incomplete files."""

import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from app.engine.encoders.configs import BilstmConfig
from app.engine.encoders.folder import read_config
from app.engine.encoders.imported.laser import LaserSource, convert_laser, read_laser
from app.engine.encoders.registry import load_encoder
from app.engine.encoders.tokenisers import LaserTokeniser
from app.engine.text.subword_vocabulary import Vocabulary
from app.errors import UserError
from tests.engine.encoders.imported.made import (
    SPECIAL,
    laser_content,
    laser_dictionary,
    write_laser,
)

TEXTS = ["bado kilu meno.", "Su TE", "meno", "kilu su te bado meno kilu"]


def _convert(source: Path) -> Path:
    folder = source.parent / "converted"
    convert_laser(LaserSource(source), folder, "laser")
    return folder


def _sigmoid(values: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-values)))


def _run_direction(inputs: np.ndarray, model: dict[str, Any], end: str) -> np.ndarray:
    """Run an LSTM step by step (t, i) -> (t, h); gates i, f, g, o as torch has them."""
    w_in, w_state, b_in, b_state = (
        model[f"lstm.{part}_{end}"].numpy()
        for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    n_hidden = w_state.shape[1]
    state, cell = np.zeros(n_hidden, np.float32), np.zeros(n_hidden, np.float32)
    states = []
    for step in inputs @ w_in.T:  # (t, i) -> (t, 4h)
        gates = step + b_in + w_state @ state + b_state
        i, f, g, o = np.split(gates, 4)
        cell = _sigmoid(f) * cell + _sigmoid(i) * np.tanh(g)
        state = _sigmoid(o) * np.tanh(cell)
        states.append(state)
    return np.array(states)


def _reference(content: dict[str, Any], pieces: list[str]) -> np.ndarray:
    """H = BiLSTM(E[x_1 … x_n, </s>]); v_d = max over t of H_td (Artetxe 2019)."""
    model, dictionary = content["model"], content["dictionary"]
    ids = [dictionary.get(piece, dictionary["<unk>"]) for piece in pieces]
    ids.append(dictionary["</s>"])
    states = model["embed_tokens.weight"].numpy()[ids]
    for layer in range(content["params"]["num_layers"]):
        ahead = _run_direction(states, model, f"l{layer}")
        back = _run_direction(states[::-1], model, f"l{layer}_reverse")[::-1]
        states = np.concatenate([ahead, back], axis=1)
    return np.asarray(states.max(axis=0))


def test_vectors_are_those_of_the_formulas_at_lasers_sizes(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    content = laser_content(vocabulary, embed_dim=320, hidden_size=512, num_layers=5)
    encoder = load_encoder(str(_convert(write_laser(tmp_path, vocabulary, content))))
    pieces = [vocabulary.processor.encode(t.lower(), out_type=str) for t in TEXTS]
    expected = np.array([_reference(content, one) for one in pieces])
    vectors = encoder.encode(TEXTS)
    assert vectors.shape == (4, 1024)
    assert np.abs(expected).mean() > 0.05
    np.testing.assert_allclose(vectors, expected, atol=1e-5, rtol=0)


def test_pieces_are_named_by_the_dictionary_and_end_with_its_mark(
    vocabulary: Vocabulary,
) -> None:
    dictionary = laser_dictionary(vocabulary)
    known, forgotten = vocabulary.processor.encode("bado", out_type=str), "▁meno"
    del dictionary[forgotten]
    tokeniser = LaserTokeniser(vocabulary, dictionary, max_tokens=100)
    tokens = tokeniser.tokenise(["BADO", "", "☃", "meno bado"])
    ids = [dictionary[piece] for piece in known]
    assert tokens.ids.tolist() == [*ids, 2, 3, *ids, 2]
    assert tokens.lengths.tolist() == [len(ids) + 1, 0, 0, len(ids) + 2]


def test_texts_without_a_known_piece_have_zero_rows(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    folder = _convert(write_laser(tmp_path, vocabulary, laser_content(vocabulary)))
    vectors = load_encoder(str(folder)).encode(["", "☃", "\ud800", "bado " * 10_000])
    assert not vectors[:3].any()
    assert np.isfinite(vectors).all()
    assert vectors[3].any()


def test_vocabulary_file_stands_in_for_the_dictionary(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    content = laser_content(vocabulary)
    names = [name for name in content["dictionary"] if name not in SPECIAL]
    with_it = _convert(write_laser(tmp_path / "a", vocabulary, content))
    del content["dictionary"]
    source = write_laser(tmp_path / "b", vocabulary, content)
    with pytest.raises(UserError, match=r"no dictionary.*\.cvocab"):
        _convert(source)
    lines = "".join(f"{name} 7\n" for name in names)
    (source.parent / "laser.cvocab").write_text(lines, encoding="utf-8")
    first = load_encoder(str(with_it)).encode(TEXTS)
    second = load_encoder(str(_convert(source))).encode(TEXTS)
    np.testing.assert_array_equal(first, second)


def test_older_files_and_half_precision_are_read(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    content = laser_content(vocabulary)
    content["model"] = {name: w.half() for name, w in content["model"].items()}
    source = write_laser(
        tmp_path, vocabulary, content, _use_new_zipfile_serialization=False
    )
    config = read_config(_convert(source))
    assert isinstance(config, BilstmConfig)
    assert (config.precision, config.dim, config.is_laser) == ("float16", 8, True)


def test_missing_sentencepiece_model_is_asked_for(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    source = write_laser(tmp_path, vocabulary, laser_content(vocabulary))
    (tmp_path / "laser.spm").unlink()
    with pytest.raises(UserError, match="needs LASER's sentencepiece model"):
        _convert(source)


class Bomb:
    """Makes a folder when it is unpickled by a reader that runs code."""

    def __init__(self, folder: Path):
        self._folder = folder

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, (str(self._folder),)


@pytest.mark.parametrize("is_zip", [True, False])
def test_code_in_a_file_is_refused_and_not_run(
    tmp_path: Path, vocabulary: Vocabulary, is_zip: bool
) -> None:
    content = {**laser_content(vocabulary), "more": Bomb(tmp_path / "exploded")}
    source = write_laser(
        tmp_path, vocabulary, content, _use_new_zipfile_serialization=is_zip
    )
    with pytest.raises(UserError, match="contains program code"):
        read_laser(source)
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize("is_zip", [True, False])
def test_truncated_file_is_a_users_error(
    tmp_path: Path, vocabulary: Vocabulary, is_zip: bool
) -> None:
    source = write_laser(
        tmp_path,
        vocabulary,
        laser_content(vocabulary),
        _use_new_zipfile_serialization=is_zip,
    )
    whole = source.read_bytes()
    for share in (0.0, 0.01, 0.3, 0.7, 0.99):
        source.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(UserError) as caught:
            read_laser(source)
        assert "\n" not in str(caught.value)


def test_archive_of_something_else_writes_nothing(tmp_path: Path) -> None:
    source = tmp_path / "inner" / "laser.pt"
    source.parent.mkdir()
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("../outside.txt", "x")
    with pytest.raises(UserError, match=r"incomplete \.pt file"):
        read_laser(source)
    assert not (tmp_path / "outside.txt").exists()


def test_archive_that_would_grow_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "laser.pt"
    with zipfile.ZipFile(source, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("laser/data.pkl", b"\0" * 10_000_000)
    with pytest.raises(UserError, match=r"incomplete \.pt file"):
        read_laser(source)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["params"].update(hidden_size=5), "of other sizes"),
        (lambda c: c["params"].update(num_layers=10**9), "num_layers"),
        (lambda c: c["params"].update(bidirectional=False), "unidirectional LSTM"),
        (lambda c: c["model"].pop("lstm.bias_hh_l0"), "doesn't contain the weights"),
        (lambda c: c["model"]["lstm.bias_hh_l0"].fill_(np.nan), "not finite"),
        (lambda c: c["dictionary"].update(bado=10**6), "has the id 1000000"),
        (lambda c: c.pop("params"), "not a LASER encoder"),
        (lambda c: (c.pop("params"), c.update(cfg={})), "LASER 3"),
    ],
)
def test_file_that_does_not_fit_itself_is_a_users_error(
    tmp_path: Path, vocabulary: Vocabulary, change: Any, message: str
) -> None:
    content = laser_content(vocabulary)
    change(content)
    with pytest.raises(UserError, match=message):
        _convert(write_laser(tmp_path, vocabulary, content))
    assert not (tmp_path / "converted").exists()


def test_weights_that_the_file_does_not_hold_are_refused(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    rows = 10_000_000
    content = laser_content(vocabulary)
    content["params"]["num_embeddings"] = rows
    content["model"]["embed_tokens.weight"] = torch.zeros(1, 1).expand(rows, 6)
    source = write_laser(tmp_path, vocabulary, content)
    assert source.stat().st_size < 1_000_000
    with pytest.raises(UserError, match="declares more weights than it contains"):
        read_laser(source)


def test_characters_that_do_not_print_are_spaces_as_in_laser(
    vocabulary: Vocabulary,
) -> None:
    dictionary = laser_dictionary(vocabulary)
    tokeniser = LaserTokeniser(vocabulary, dictionary, max_tokens=100)
    soft, spaced = tokeniser.tokenise(["ba\u00addo"]), tokeniser.tokenise(["ba do"])

    assert soft.ids.tolist() == spaced.ids.tolist()
    assert tokeniser.tokenise(["bado"]).ids.tolist() != soft.ids.tolist()
