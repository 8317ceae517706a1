"""The bridge and its penalty against loops over single values."""

import numpy as np
import pytest
import torch

from app.engine.encoders.bridge.module import bridge_penalty
from app.engine.encoders.tokens import collate, make_tokens
from tests.engine.translation.made import tiny_module


def _batch(*sentences: list[int]):  # type: ignore[no-untyped-def]
    ids = np.concatenate([np.array(one, np.int32) for one in sentences])
    lengths = np.array([len(one) for one in sentences], np.int32)
    return collate(make_tokens(ids, lengths), range(len(sentences)))


def _bridge_by_loops(
    states: np.ndarray, weights: dict[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return A (k, t) and M (k, h) of states (t, h) of one sentence."""
    n_tokens = len(states)
    w1, b1 = weights["inner.weight"], weights["inner.bias"]
    w2, b2 = weights["heads.weight"], weights["heads.bias"]
    attention = np.zeros((len(w2), n_tokens))
    for head in range(len(w2)):
        scores = []
        for t in range(n_tokens):
            inner = [
                max(
                    0.0, sum(w1[i, j] * states[t, j] for j in range(len(w1[0]))) + b1[i]
                )
                for i in range(len(w1))
            ]
            scores.append(
                sum(w2[head, i] * inner[i] for i in range(len(inner))) + b2[head]
            )
        powers = [np.exp(score) for score in scores]
        for t in range(n_tokens):
            attention[head, t] = powers[t] / sum(powers)
    rows = np.zeros((len(w2), states.shape[1]))
    for head in range(len(w2)):
        for t in range(n_tokens):
            rows[head] += attention[head, t] * states[t]
    return attention, rows


def _penalty_by_loops(attention: np.ndarray) -> float:
    total = 0.0
    for i in range(len(attention)):
        for j in range(len(attention)):
            product = sum(
                a * b for a, b in zip(attention[i], attention[j], strict=True)
            )
            total += (product - (1.0 if i == j else 0.0)) ** 2
    return total


@torch.no_grad()
def test_bridge_and_penalty_are_those_of_the_formulas() -> None:
    module = tiny_module()
    sentences = [[1, 2, 3, 4], [5], [2, 6]]
    assert module.bridge is not None
    weights = {name: w.numpy() for name, w in module.bridge.state_dict().items()}
    memory = module.read("eng", _batch(*sentences))
    assert memory.weights is not None
    for index, sentence in enumerate(sentences):
        alone = module.encoders["eng"].states(_batch(sentence))[0].numpy()  # type: ignore[operator]
        attention, rows = _bridge_by_loops(alone, weights)
        n = len(sentence)
        np.testing.assert_allclose(memory.weights[index, :, :n], attention, atol=1e-5)
        assert not memory.weights[index, :, n:].any()
        np.testing.assert_allclose(memory.rows[index], rows, atol=1e-5)
        penalty = float(bridge_penalty(memory.weights)[index])
        assert penalty == pytest.approx(_penalty_by_loops(attention), rel=1e-4)
        np.testing.assert_allclose(memory.mean()[index], rows.mean(0), atol=1e-5)


def test_the_penalty_by_hand() -> None:
    apart = torch.tensor([[[1.0, 0.0], [0.0, 1.0]]])
    equal = torch.tensor([[[1.0, 0.0], [1.0, 0.0]]])
    even = torch.tensor([[[0.5, 0.5], [0.5, 0.5]]])
    assert bridge_penalty(apart).tolist() == [0.0]
    assert bridge_penalty(equal).tolist() == [2.0]  # two products of 1 off the diagonal
    assert bridge_penalty(even).tolist() == [1.0]  # four times 0.5²


@torch.no_grad()
def test_a_decoder_sees_nothing_but_the_rows() -> None:
    """Sentences with the same rows have the same translations, whatever is padded."""
    module = tiny_module()
    alone = module.read("eng", _batch([3, 1]))
    padded = module.read("eng", _batch([3, 1], [1, 2, 3, 4, 5]))
    decoder = module.decoder("deu")
    previous = torch.tensor([[decoder.mark_id, 2]])
    first, _ = decoder.run(alone, previous, decoder.begin(alone))
    second, _ = decoder.run(padded, previous.expand(2, -1), decoder.begin(padded))
    torch.testing.assert_close(first[0], second[0])


@torch.no_grad()
def test_without_a_bridge_padding_takes_no_part_in_the_attention() -> None:
    module = tiny_module(system="attention", n_heads=0)
    alone = module.read("deu", _batch([3, 1]))
    padded = module.read("deu", _batch([3, 1], [1, 2, 3, 4, 1]))
    decoder = module.decoder("eng")
    previous = torch.tensor([[decoder.mark_id, 2]])
    first, _ = decoder.run(alone, previous, decoder.begin(alone))
    second, _ = decoder.run(padded, previous.expand(2, -1), decoder.begin(padded))
    torch.testing.assert_close(first[0], second[0])


@torch.no_grad()
def test_the_decoder_starts_from_the_mean_of_the_rows() -> None:
    module = tiny_module(n_layers=2)
    memory = module.read("eng", _batch([3, 1]))
    hidden, cell = module.decoder("deu").begin(memory)
    for layer in range(2):
        torch.testing.assert_close(hidden[layer, 0], memory.rows[0].mean(0))
        torch.testing.assert_close(cell[layer, 0], memory.rows[0].mean(0))
