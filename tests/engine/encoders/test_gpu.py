"""Every architecture returns the same vectors on CUDA as on the CPU."""

import numpy as np
import pytest
import torch

from app.engine.encoders.neural import NeuralEncoder
from app.engine.encoders.tokens import collate
from app.engine.text.subword_vocabulary import Vocabulary
from tests.engine.encoders.made import ARCHITECTURES, made_encoder
from tests.engine.training.synthetic import make_pairs

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_half_precision_is_near_the_cpus_vectors(
    vocabulary: Vocabulary, name: str
) -> None:
    texts = [side for pair in make_pairs(50) for side in pair] + ["", "b"]
    expected = made_encoder(name, vocabulary).encode(texts)
    on_cpu = made_encoder(name, vocabulary)
    encoder = NeuralEncoder(on_cpu.module, on_cpu.tokeniser, device="cuda")
    scale = np.abs(expected).max()
    found = encoder.encode(texts)
    np.testing.assert_allclose(found / scale, expected / scale, atol=0.01)
    assert not found[-2].any()


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_full_precision_and_gradients_are_those_of_the_cpu(
    vocabulary: Vocabulary, name: str
) -> None:
    encoder = made_encoder(name, vocabulary)
    tokens = encoder.tokeniser.tokenise([pair[0] for pair in make_pairs(20)])
    gradients = {}
    for device in ("cpu", "cuda"):
        module = encoder.module.to(device).train()
        for part in module.modules():
            for share in ("dropout", "_dropout"):
                if hasattr(part, share):
                    setattr(part, share, 0.0)
        module.zero_grad()
        vectors = module(collate(tokens, range(20), device))
        vectors.square().sum().backward()
        gradients[device] = {
            key: one.grad.cpu()
            for key, one in module.named_parameters()
            if one.grad is not None
        }
    assert gradients["cpu"].keys() == gradients["cuda"].keys()
    for key, expected in gradients["cpu"].items():
        torch.testing.assert_close(
            gradients["cuda"][key], expected, atol=1e-4, rtol=1e-3
        )
