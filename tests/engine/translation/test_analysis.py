"""Entropy of heads and similarity of languages, by hand and by loops."""

import math

import numpy as np
import pytest

from app.engine.encoders.bridge.codec import Codec
from app.engine.encoders.bridge.encoder import BridgeEncoder
from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.translation.analysis import measure_heads, measure_similarity
from tests.engine.translation.made import tiny_config, tiny_module


def test_similarity_by_hand() -> None:
    sources = np.array([[1, 0], [0, 2]], np.float32)
    targets = np.array([[3, 0], [1, 1]], np.float32)
    own, other = measure_similarity(sources, targets)
    assert own == pytest.approx((1 + math.sqrt(0.5)) / 2)
    assert other == pytest.approx((math.sqrt(0.5) + 0) / 2)


def test_entropy_of_each_head(vocabulary: Vocabulary) -> None:
    n = vocabulary.n_pieces
    changes = {"n_pieces": (n, n), "n_heads": 4}
    config = tiny_config(**changes)
    codec = Codec(config, {"eng": vocabulary, "deu": vocabulary})
    model = BridgeEncoder(tiny_module(**changes), codec)
    texts = ["bado", "kilu bado", "bado kilu bado kilu bado kilu", ""]
    found = measure_heads(model, "eng", texts, Report())
    lengths = codec.tokeniser("eng").tokenise(texts).lengths
    assert lengths[0] < 4 < lengths[2]
    expected, first, rest = np.zeros(4), [], []
    for text, length in zip(texts[:3], lengths[:3], strict=True):
        values = _entropies_alone(model, text)
        expected += values / 3
        first.append(values[:length].mean())
        if length < 4:
            rest.append(values[length:].mean())
    np.testing.assert_allclose(found.by_head, expected, atol=1e-5)
    assert found.mean == pytest.approx(expected.mean(), abs=1e-5)
    assert found.first == pytest.approx(np.mean(first), abs=1e-5)
    assert found.rest == pytest.approx(np.mean(rest), abs=1e-5)


def _entropies_alone(model: BridgeEncoder, text: str) -> np.ndarray:
    from app.engine.encoders.tokens import collate

    tokens = model.codec.tokeniser("eng").tokenise([text])
    weights = model.model.read("eng", collate(tokens, [0])).weights
    assert weights is not None
    return np.array(
        [-sum(a * math.log(a) for a in head if a > 0) for head in weights[0].tolist()]
    )
