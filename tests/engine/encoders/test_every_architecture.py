"""Requirements of every architecture: odd texts, any batch, folder, damaged files."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch

from app.engine.encoders.configs import StaticConfig, architecture_of
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.folder import read_config
from app.engine.encoders.neural import NeuralEncoder
from app.engine.encoders.registry import list_encoders, load_encoder
from app.engine.encoders.static.encoder import NgramTable, StaticEncoder, save_static
from app.engine.encoders.static.module import StaticModule
from app.engine.encoders.static.table_rows import make_romaniser
from app.engine.encoders.tokens import Tokens
from app.engine.encoders.weights import save_neural
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.text.word_vocabulary import write_words
from app.engine.training.recipes import load_initial
from app.errors import UserError
from tests.engine.encoders.made import (
    ARCHITECTURES,
    DIM,
    WORDS,
    made_configs,
    made_encoder,
    made_module,
)
from tests.engine.training.synthetic import make_pairs

ODD_TEXTS = {
    "empty": "",
    "space": " \u3000",
    "one character": "b",
    "punctuation": "…?!—",
    "emoji": "🙂👩‍🚀🙂",
    "lone surrogate": "ba\ud800do",
    "only a surrogate": "\udfff",
    "control": "\x00\x02",
    "line breaks": "ba\nd\u2028o",
    "10,000 words": "bado " * 10_000,
    "one word of 100,000": "bado" * 25_000,
    "marks": "a\u0301" * 300,
    "mixed scripts": "bado яэ 我们 ไทย العربية हिन्दी kilu",
    "unseen language": "ꮳꮃꭹ 𐤀𐤁 ᚠᚢ",
}
UNHEARD = ("", "   ", "\n")

each_architecture = pytest.mark.parametrize("name", ARCHITECTURES)


@pytest.fixture(scope="module")
def encoders(vocabulary: Vocabulary) -> dict[str, NeuralEncoder]:
    return {name: made_encoder(name, vocabulary) for name in ARCHITECTURES}


@each_architecture
def test_odd_texts_give_finite_vectors_whatever_their_batch(
    encoders: dict[str, NeuralEncoder], name: str
) -> None:
    encoder = encoders[name]
    texts = list(ODD_TEXTS.values())
    together = encoder.encode(texts)
    assert together.shape == (len(texts), DIM)
    assert together.dtype == np.float32
    assert np.isfinite(together).all()
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    scale = np.abs(alone).max(axis=1, keepdims=True) + 1
    np.testing.assert_allclose(together / scale, alone / scale, atol=1e-6)
    assert together[list(ODD_TEXTS).index("mixed scripts")].any()


@each_architecture
def test_text_without_a_token_gives_a_zero_row(
    encoders: dict[str, NeuralEncoder], name: str
) -> None:
    assert not encoders[name].encode(UNHEARD).any()
    assert encoders[name].encode([]).shape == (0, DIM)


@each_architecture
def test_vector_does_not_depend_on_its_batch(
    encoders: dict[str, NeuralEncoder], name: str
) -> None:
    encoder = encoders[name]
    texts = [side for pair in make_pairs(60, seed=3) for side in pair]
    texts += [" ".join(texts[:4]), "b", ""]
    order = np.random.default_rng(0).permutation(len(texts))
    together = encoder.encode(texts)
    shuffled = encoder.encode([texts[i] for i in order])
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    np.testing.assert_allclose(together[order], shuffled, atol=1e-6, rtol=1e-5)
    np.testing.assert_allclose(together, alone, atol=1e-6, rtol=1e-5)


@each_architecture
def test_unknown_share_and_counts_are_finite(
    encoders: dict[str, NeuralEncoder], name: str
) -> None:
    encoder, texts = encoders[name], list(ODD_TEXTS.values())
    assert 0 <= encoder.count_pieces(texts).unknown_share <= 1
    assert encoder.count_pieces([""]).unknown_share == 0
    counts = encoder.count_pieces(["", "bado kilu"])
    assert counts.n_pieces[0] == 0 < counts.n_pieces[1]


@each_architecture
def test_too_small_gpu_gets_smaller_batches(
    encoders: dict[str, NeuralEncoder], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder, texts = encoders[name], ["bado", "kilu", "meno", "su te", "ri"]
    expected = encoder.encode(texts)
    encode_batch = encoder._encode_batch

    def encode_two_at_most(tokens: Tokens, ids: np.ndarray) -> np.ndarray:
        if len(ids) > 2:
            raise torch.OutOfMemoryError
        return encode_batch(tokens, ids)

    monkeypatch.setattr(encoder, "_encode_batch", encode_two_at_most)
    np.testing.assert_allclose(encoder.encode(texts), expected, atol=1e-6)


def save(name: str, folder: Path, vocabulary: Vocabulary, precision: str) -> None:
    config = made_configs(vocabulary.n_pieces)[name]
    config = msgspec.structs.replace(
        config, precision=precision, languages=("deu",), licence="CC0"
    )
    module = made_module(config)
    files = {"vocabulary.model": vocabulary.model_bytes}
    if name == "transformer-words":
        files = {"words.txt": write_words(WORDS)}
    if isinstance(module, StaticModule):
        assert isinstance(config, StaticConfig)
        save_static(
            folder,
            config,
            table=module.table.detach().numpy(),
            vocabulary=vocabulary.model_bytes,
            card="# made\n",
            romaniser=make_romaniser() if "ngrams" in name else None,
        )
    else:
        save_neural(folder, config, module, vocabulary=files, card="# made\n")


@each_architecture
@pytest.mark.parametrize(
    ("precision", "tolerance"), [("float32", 1e-6), ("float16", 0.01), ("int8", 0.05)]
)
def test_saved_encoder_gives_the_same_vectors(
    encoders: dict[str, NeuralEncoder],
    vocabulary: Vocabulary,
    tmp_path: Path,
    name: str,
    precision: str,
    tolerance: float,
) -> None:
    folder = tmp_path / "encoders" / name
    save(name, folder, vocabulary, precision)
    loaded: Encoder = load_encoder(name, tmp_path)
    texts = [pair[0] for pair in make_pairs(20)]
    expected = encoders[name].encode(texts)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(
        loaded.encode(texts) / scale, expected / scale, atol=tolerance
    )
    assert len(loaded.fingerprint) == 64


@each_architecture
def test_card_says_what_the_list_shows(
    vocabulary: Vocabulary, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "encoders" / name
    save(name, folder, vocabulary, "int8")
    (card,) = [one for one in list_encoders(tmp_path) if not one.bundled]
    config = read_config(folder)
    module = made_module(config)
    assert card.architecture == architecture_of(config) == name.split("-")[0]
    assert card.n_parameters == sum(p.numel() for p in module.parameters())
    assert (card.dim, card.languages, card.licence) == (DIM, ("deu",), "CC0")
    assert card.size_bytes == sum(file.stat().st_size for file in folder.iterdir())


@each_architecture
def test_saved_module_can_be_trained_on(
    vocabulary: Vocabulary, tmp_path: Path, name: str
) -> None:
    save(name, tmp_path / "encoders" / name, vocabulary, "float32")
    _, config, module = load_initial(name, tmp_path)
    expected = made_module(config).state_dict()
    assert module.state_dict().keys() == expected.keys()
    for key, value in module.state_dict().items():
        torch.testing.assert_close(value, expected[key], atol=0, rtol=0)
    assert all(parameter.requires_grad for parameter in module.parameters())


@each_architecture
@pytest.mark.parametrize("keep", [0.0, 0.01, 0.5, 0.9])
@pytest.mark.parametrize("file", ["encoder.json", "weights.safetensors", "vocabulary"])
def test_truncated_file_is_one_sentence(
    vocabulary: Vocabulary, tmp_path: Path, name: str, file: str, keep: float
) -> None:
    folder = tmp_path / name
    save(name, folder, vocabulary, "int8")
    if file == "vocabulary":
        file = "words.txt" if name == "transformer-words" else "vocabulary.model"
    content = (folder / file).read_bytes()
    (folder / file).write_bytes(content[: int(keep * len(content))])
    with pytest.raises(UserError) as caught:
        load_encoder(str(folder))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"dim": 16', '"dim": 18'),
        ('"n_layers": 2', '"n_layers": 3'),
        ('"n_layers": 2', '"n_layers": 1000000'),
        ('"embed_dim": 12', '"embed_dim": 2000000000'),
        ('"max_tokens": 40', '"max_tokens": -1'),
        ('"architecture": "bilstm"', '"architecture": "transformer"'),
        ('"architecture": "bilstm"', '"architecture": "oracle"'),
    ],
)
def test_config_that_does_not_fit_its_weights_is_one_sentence(
    vocabulary: Vocabulary, tmp_path: Path, old: str, new: str
) -> None:
    folder = tmp_path / "made"
    save("bilstm-max", folder, vocabulary, "float32")
    file = folder / "encoder.json"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load_encoder(str(folder))
    assert "\n" not in str(caught.value)


def test_weights_that_are_no_numbers_are_refused(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    config = made_configs(vocabulary.n_pieces)["bilstm-max"]
    config = msgspec.structs.replace(config, precision="float32")
    module = made_module(config)
    with torch.no_grad():
        next(module.parameters())[0, 0] = torch.nan
    files = {"vocabulary.model": vocabulary.model_bytes}
    save_neural(tmp_path / "made", config, module, vocabulary=files, card="")
    with pytest.raises(UserError, match="not finite"):
        load_encoder(str(tmp_path / "made"))


@pytest.mark.parametrize("name", ["static", "static-ngrams"])
def test_static_module_gives_the_static_encoders_vectors(
    encoders: dict[str, NeuralEncoder], vocabulary: Vocabulary, name: str
) -> None:
    encoder = encoders[name]
    assert isinstance(encoder.module, StaticModule)
    ngrams = NgramTable(make_romaniser(), 50) if name == "static-ngrams" else None
    static = StaticEncoder(
        encoder.module.table.detach().numpy(), vocabulary, ngrams=ngrams
    )
    texts = [*ODD_TEXTS.values(), *(side for pair in make_pairs(30) for side in pair)]
    texts = [text for text in texts if len(text) < 1000]  # float32 sums of 10^5 drift
    expected = static.encode(texts)
    scale = np.abs(expected).max(axis=1, keepdims=True) + 1
    np.testing.assert_allclose(
        encoder.encode(texts) / scale, expected / scale, atol=1e-6
    )


def test_sizes_beyond_all_memory_are_one_sentence(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    folder = tmp_path / "made"
    save("transformer-words", folder, vocabulary, "float32")
    config = json.loads((folder / "encoder.json").read_text(encoding="utf-8"))
    sizes = {"dim": 1_000_000_000, "embed_dim": 1_000_000_000, "n_heads": 1}
    (folder / "encoder.json").write_text(json.dumps(config | sizes), encoding="utf-8")
    with pytest.raises(UserError, match=r"encoder\.json declares impossible sizes\.$"):
        load_encoder(str(folder))
