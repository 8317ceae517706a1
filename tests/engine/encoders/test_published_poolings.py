"""Inner attention and the end mark against the papers' formulas, and older folders.

Conneau et al. 2017 (InferSent), section 3.2.3: hbar_t = tanh(W h_t + b),
alpha_t = softmax(hbar_t . u_m), u_m = sum_t alpha_t h_t, [u_1; u_2; u_3; u_4].
Artetxe and Schwenk 2019, section 3: the BiLSTM reads x_1 … x_n and </s>.
"""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch
from torch import nn

from app.engine.encoders.bilstm import BilstmModule
from app.engine.encoders.configs import BilstmConfig
from app.engine.encoders.folder import read_config
from app.engine.encoders.neural import NeuralEncoder
from app.engine.encoders.new_config import new_config
from app.engine.encoders.registry import load_encoder
from app.engine.encoders.tokenisers import PieceTokeniser
from app.engine.encoders.weights import build_module, save_neural
from app.engine.text.subword_vocabulary import MODEL_FILE, Vocabulary
from app.errors import UserError
from app.params import build_params
from app.params.training.encoder import TrainEncoder

TEXT = "bado kilu meno"


def make_config(vocabulary: Vocabulary, folder: Path, **values: object) -> BilstmConfig:
    (folder / MODEL_FILE).write_bytes(vocabulary.model_bytes)
    settings = {"name": "tiny", "architecture": "bilstm", "embed_dim": 8, **values}
    config = new_config(build_params(TrainEncoder, settings), folder)
    assert isinstance(config, BilstmConfig)
    return config


def make_encoder(config: BilstmConfig, vocabulary: Vocabulary) -> NeuralEncoder:
    torch.manual_seed(2)
    tokeniser = PieceTokeniser(
        vocabulary, config.max_tokens, has_end_mark=config.has_end_mark
    )
    return NeuralEncoder(build_module(config), tokeniser)


def torch_states(encoder: NeuralEncoder, rows: list[int]) -> np.ndarray:
    """Return the states of torch's own LSTM over some rows of the embeddings."""
    module = encoder.module
    assert isinstance(module, BilstmModule)
    lstm: nn.LSTM = module.lstm
    states, _ = lstm(module.embed.weight[rows][None])
    found: np.ndarray = states[0].detach().double().numpy()
    return found


def test_four_views_of_2_x_512_make_4096_dimensions_without_a_map(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    config = make_config(
        vocabulary,
        tmp_path,
        dim=4_096,
        pooling="attention",
        n_views=4,
        attention_dim=1_024,
    )
    assert config.hidden_dim == 512
    with torch.device("meta"):
        shapes = {n: tuple(p.shape) for n, p in build_module(config).named_parameters()}
    assert shapes["pooling.attention.inner.weight"] == (1_024, 1_024)  # W
    assert shapes["pooling.attention.inner.bias"] == (1_024,)  # b
    assert shapes["pooling.attention.views.weight"] == (4, 1_024)  # u_1 … u_4
    assert "pooling.projection.weight" not in shapes


def test_the_vector_is_the_concatenation_of_the_views(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    config = make_config(
        vocabulary, tmp_path, dim=24, pooling="attention", n_views=4, attention_dim=5
    )
    encoder = make_encoder(config, vocabulary)
    weights = {
        n: p.detach().double().numpy() for n, p in encoder.module.named_parameters()
    }
    rows = encoder.tokeniser.tokenise([TEXT]).ids.tolist()
    states = torch_states(encoder, rows)  # (t, 6)
    inner = weights["pooling.attention.inner.weight"]
    bias = weights["pooling.attention.inner.bias"]
    views = []
    for query in weights["pooling.attention.views.weight"]:
        scores = [float(np.tanh(inner @ state + bias) @ query) for state in states]
        shares = np.exp(scores) / np.sum(np.exp(scores))
        views.append(sum(s * state for s, state in zip(shares, states, strict=True)))
    found = encoder.encode([TEXT])[0]
    np.testing.assert_allclose(found, np.concatenate(views), atol=1e-6)
    assert np.abs(bias).max() > 0, "a bias of zeros would prove nothing"


def test_a_hidden_size_of_its_own_adds_a_map(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    config = make_config(vocabulary, tmp_path, dim=10, hidden_dim=7)
    encoder = make_encoder(config, vocabulary)
    shapes = {n: tuple(p.shape) for n, p in encoder.module.named_parameters()}
    assert shapes["pooling.projection.weight"] == (10, 14)
    assert encoder.encode([TEXT]).shape == (1, 10)


def test_dimensions_that_views_cannot_share_are_refused(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match="among 3 views of two directions"):
        make_config(vocabulary, tmp_path, dim=16, pooling="attention", n_views=3)


def test_the_last_token_that_is_read_is_the_end_mark(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    config = make_config(vocabulary, tmp_path, dim=8, end_mark=True)
    encoder = make_encoder(config, vocabulary)
    plain = PieceTokeniser(vocabulary, 256).tokenise([TEXT]).ids.tolist()
    end = vocabulary.n_pieces  # a row of its own after those of the pieces
    assert encoder.module.get_parameter("embed.weight").shape == (end + 1, 8)
    expected = torch_states(encoder, [*plain, end]).max(axis=0)
    np.testing.assert_allclose(encoder.encode([TEXT])[0], expected, atol=1e-6)
    without = torch_states(encoder, plain).max(axis=0)
    assert np.abs(expected - without).max() > 1e-3


def test_the_end_mark_counts_and_empty_texts_have_none(vocabulary: Vocabulary) -> None:
    tokeniser = PieceTokeniser(vocabulary, 4, has_end_mark=True)
    tokens = tokeniser.tokenise([TEXT * 5, "", "ba"])
    lengths = tokens.lengths.tolist()
    assert lengths[:2] == [4, 0]
    ends = tokens.ids[tokens.ends[[0, 2]] - 1].tolist()
    assert ends == [vocabulary.n_pieces] * 2
    assert tokeniser.names("ba")[-1] == "</s>"
    assert len(tokeniser.names("ba")) == lengths[2]


def test_a_saved_encoder_keeps_its_end_mark(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    config = make_config(vocabulary, tmp_path, dim=8, end_mark=True, storage="float32")
    encoder = make_encoder(config, vocabulary)
    files = {MODEL_FILE: vocabulary.model_bytes}
    save_neural(tmp_path / "e", config, encoder.module, vocabulary=files, card="# e\n")
    loaded = load_encoder(str(tmp_path / "e"))
    np.testing.assert_allclose(loaded.encode([TEXT]), encoder.encode([TEXT]), atol=1e-6)


def test_an_older_folder_has_neither_bias_nor_end_mark(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    config = BilstmConfig(
        name="older",
        dim=8,
        n_pieces=vocabulary.n_pieces,
        embed_dim=8,
        hidden_dim=4,
        pooling="attention",
        n_views=2,
        precision="float32",
    )
    encoder = make_encoder(config, vocabulary)
    files = {MODEL_FILE: vocabulary.model_bytes}
    folder = tmp_path / "older"
    save_neural(folder, config, encoder.module, vocabulary=files, card="# e\n")
    written = json.loads((folder / "encoder.json").read_text("utf-8"))
    for field in ("attention_dim", "has_attention_bias", "has_end_mark"):
        del written[field]  # an older version did not write them
    (folder / "encoder.json").write_text(json.dumps(written), "utf-8")
    assert read_config(folder) == config
    names = dict(encoder.module.named_parameters())
    assert names["pooling.attention.inner.weight"].shape == (350, 8)
    assert "pooling.attention.inner.bias" not in names
    assert names["pooling.projection.weight"].shape == (8, 16)
    loaded = load_encoder(str(folder))
    np.testing.assert_allclose(loaded.encode([TEXT]), encoder.encode([TEXT]), atol=1e-6)


def test_an_older_encoder_is_trained_on_without_bias(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    from app.engine.encoders.new_config import with_format_of

    config = make_config(vocabulary, tmp_path, dim=8, pooling="attention")
    older = msgspec.structs.replace(config, has_attention_bias=False)
    assert with_format_of(config, older) == older
