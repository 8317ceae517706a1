"""The contextual encoder: its static encoder at first, its words and its folder."""

import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch

from app.engine.attribution.neural_tokens import read_neural_tokens
from app.engine.encoders.configs import ContextualConfig
from app.engine.encoders.contextual import (
    ContextualModule,
    ContextualTokeniser,
    attach_base,
    base_files,
    check_base,
    load_tokeniser,
)
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.folder import fingerprint_of, read_config
from app.engine.encoders.neural import NeuralEncoder
from app.engine.encoders.registry import find_encoder, list_encoders, load_encoder
from app.engine.encoders.tokens import collate
from app.engine.encoders.weights import save_neural
from app.engine.numeric import normalise_rows
from app.errors import UserError
from tests.engine.encoders.test_every_architecture import ODD_TEXTS, UNHEARD
from tests.engine.encoders.tiny import save_tiny

SENTENCES = (
    "The ferry to the island leaves at seven.",
    "Die Fähre zur Insel fährt um sieben ab.",
    "渡船七点开往小岛。",
    "島へのフェリーは七時に出ます。",
    "เรือไปเกาะออกตอนเจ็ดโมง",
    "تغادر العبّارة إلى الجزيرة في الساعة السابعة.",
    "Паром на остров отходит в семь.",
)


@pytest.fixture(scope="module")
def base() -> Path:
    return find_encoder("isogloss-3")


def make_config(base: Path, **values: float) -> ContextualConfig:
    config = ContextualConfig(
        name="layers",
        dim=256,
        base=base.name,
        base_fingerprint=fingerprint_of(base),
        filter_dim=32,
        dropout=0.0,
        precision="float32",
    )
    return msgspec.structs.replace(config, **values)


def make_module(
    base: Path, config: ContextualConfig, *, std: float
) -> ContextualModule:
    """Make a module whose map is drawn at random, so that the layers have a say."""
    torch.manual_seed(3)
    module = ContextualModule(config)
    attach_base(module, base, config)
    torch.nn.init.normal_(module.output.weight, std=std)
    return module.eval()


def make_encoder(base: Path, *, std: float = 0.1, **values: float) -> NeuralEncoder:
    config = make_config(base, **values)
    module = make_module(base, config, std=std)
    return NeuralEncoder(module, load_tokeniser(base, config), name="layers")


def cosines(encoder: Encoder, other: Encoder) -> np.ndarray:
    units = [normalise_rows(one.encode(SENTENCES))[0] for one in (encoder, other)]
    products: np.ndarray = (units[0] * units[1]).sum(axis=1)
    return products


def test_without_training_it_is_its_static_encoder(base: Path) -> None:
    assert (
        cosines(make_encoder(base, std=0.0), load_encoder("isogloss-3")).min()
        > 1 - 1e-5
    )


def test_layers_change_the_vectors_and_hear_the_order_of_words(base: Path) -> None:
    encoder = make_encoder(base)
    assert cosines(encoder, load_encoder("isogloss-3")).max() < 0.999
    one, other = encoder.encode(["The dog bit the man.", "The man bit the dog."])
    assert np.abs(one - other).max() > 0.01
    one, other = load_encoder("isogloss-3").encode(
        ["a dog bit a man", "a man bit a dog"]
    )
    np.testing.assert_allclose(one, other, atol=1e-5)


def test_words_are_cut_at_spaces_and_else_into_pieces(base: Path) -> None:
    tokeniser = make_encoder(base).tokeniser
    assert isinstance(tokeniser, ContextualTokeniser)
    english, _, chinese, *_ = SENTENCES
    tokens = tokeniser.tokenise([english, chinese, f"{english} {chinese}"])
    n_english = len(english.split())
    n_chinese = tokens.lengths[1]
    assert tokens.lengths.tolist() == [n_english, n_chinese, n_english + n_chinese]
    # a token for each piece, and one for the n-grams of all characters
    assert n_chinese == tokeniser.count_pieces([chinese]).n_pieces[0] + 1
    # equal words are equal tokens, others are not
    again = tokeniser.tokenise(["the ferry", "ferry the island"])
    the, ferry, ferry_again, the_again, island = again.ids.tolist()
    assert (the, ferry) == (the_again, ferry_again)
    assert len({the, ferry, island}) == 3


def test_tokens_have_the_names_of_words_and_pieces(base: Path) -> None:
    tokeniser = make_encoder(base).tokeniser
    assert isinstance(tokeniser, ContextualTokeniser)
    assert tokeniser.names(" One  two,\nthree ") == ["One", "two,", "three"]
    for text in (*SENTENCES, *ODD_TEXTS.values()):
        assert len(tokeniser.names(text)) == tokeniser.tokenise([text]).lengths[0]
    assert tokeniser.names(SENTENCES[3])[-1] == "parts of words"
    assert "".join(tokeniser.names(SENTENCES[3])[:-1]).strip("▁") == SENTENCES[3]


def test_further_dimensions_hold_the_context_alone(base: Path) -> None:
    encoder = make_encoder(base, std=0.0, dim=384, context_length=0.3)
    vectors = encoder.encode(SENTENCES)
    static, context = vectors[:, :256], vectors[:, 256:]
    lengths = np.linalg.norm(context, axis=1) / np.linalg.norm(static, axis=1)
    np.testing.assert_allclose(lengths, 0.3, rtol=1e-4)
    expected, _ = normalise_rows(load_encoder("isogloss-3").encode(SENTENCES))
    np.testing.assert_allclose(normalise_rows(static)[0], expected, atol=1e-4)


@pytest.mark.parametrize("dim", [256, 384])
def test_the_parts_of_words_add_up_to_the_vector(base: Path, dim: int) -> None:
    encoder = make_encoder(base, dim=dim)
    for text in (SENTENCES[0], SENTENCES[3]):
        inside = read_neural_tokens(encoder, text)
        assert inside.parts is not None
        np.testing.assert_allclose(inside.parts.sum(axis=0), inside.vector, atol=1e-4)
        np.testing.assert_allclose(inside.vector, encoder.encode([text])[0], atol=1e-4)
        assert len(inside.names) == len(inside.states)
        assert [one.name for one in inside.attention] == [
            "layer 1",
            "layer 2",
            "inner attention",
        ]
        for one in inside.attention:
            np.testing.assert_allclose(one.weights.sum(axis=-1), 1, atol=1e-5)


def test_long_texts_are_read_up_to_a_number_of_words(base: Path) -> None:
    encoder = make_encoder(base, max_tokens=5)
    short, long = encoder.encode(
        ["one two three four five", "one two three four five six"]
    )
    np.testing.assert_array_equal(short, long)
    tokens = encoder.tokeniser.tokenise([SENTENCES[2] * 3])
    assert tokens.lengths.tolist() == [5]


def test_odd_texts_have_finite_vectors_that_no_batch_changes(base: Path) -> None:
    encoder = make_encoder(base)
    texts = [*ODD_TEXTS.values(), *SENTENCES]
    together = encoder.encode(texts)
    assert np.isfinite(together).all()
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-4)
    assert not encoder.encode(UNHEARD).any()


def test_groups_of_sentences_have_the_vectors_of_one_batch(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = make_encoder(base)
    tokens = encoder.tokeniser.tokenise([*SENTENCES, "", "One."])
    batch = collate(tokens, np.arange(tokens.n_sentences))
    with torch.inference_mode():
        whole = encoder.module(batch)
        monkeypatch.setattr(ContextualModule, "cpu_tokens", 12)
        grouped = encoder.module(batch)
    torch.testing.assert_close(grouped, whole, atol=1e-4, rtol=1e-4)
    lengths = whole.norm(dim=1)
    torch.testing.assert_close(lengths[:-2], torch.full((len(SENTENCES),), 16.0))


def test_the_table_is_neither_trained_nor_stored(base: Path) -> None:
    module = make_module(base, make_config(base), std=0.1)
    assert "table" not in module.state_dict()
    assert not any(p.shape == module.table.shape for p in module.parameters())


@pytest.fixture
def saved(base: Path, tmp_path: Path) -> Path:
    """Save a contextual encoder over a copy of the bundled one, as another name."""
    own = shutil.copytree(base, tmp_path / "own")
    config = msgspec.structs.replace(make_config(base), base="own")
    folder = tmp_path / "project" / "encoders" / "layers"
    save_neural(
        folder,
        config,
        make_module(base, make_config(base), std=0.1),
        vocabulary=base_files(own, config),
        card="# layers\n",
    )
    shutil.rmtree(own)
    return folder


def test_its_folder_contains_a_static_encoder_that_is_not_bundled(
    base: Path, saved: Path
) -> None:
    loaded = load_encoder("layers", saved.parent.parent)
    expected = make_encoder(base).encode(SENTENCES)
    np.testing.assert_allclose(loaded.encode(SENTENCES), expected, atol=1e-4)
    (card,) = [one for one in list_encoders(saved.parent.parent) if not one.bundled]
    assert (card.architecture, card.dim) == ("contextual", 256)
    assert not base_files(base, make_config(base))  # the bundled one is not copied


def test_another_static_encoder_is_refused(saved: Path) -> None:
    weights = saved / "base" / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\1")
    with pytest.raises(UserError, match="needs the static encoder own"):
        load_encoder(str(saved))
    shutil.rmtree(saved / "base")
    with pytest.raises(UserError, match="needs the static encoder own"):
        load_encoder(str(saved))


def test_an_encoder_with_bigrams_is_refused(tmp_path: Path) -> None:
    save_tiny(tmp_path / "tiny")
    tiny = tmp_path / "tiny"
    config = make_config(tiny, dim=8, base_dim=8)
    with pytest.raises(UserError, match="static encoder without bigrams"):
        check_base(read_config(tiny))
    with pytest.raises(UserError, match="can't be divided among 4 heads"):
        ContextualModule(msgspec.structs.replace(config, base_dim=6))
