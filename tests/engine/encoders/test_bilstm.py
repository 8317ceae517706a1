"""The BiLSTM against its equations, a step at a time, and against torch's own."""

import numpy as np
import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from app.engine.encoders.bilstm import BilstmModule
from app.engine.encoders.configs import BilstmConfig
from app.engine.encoders.tokens import TokenBatch, Tokens, collate, make_tokens

N_PIECES, EMBED, HIDDEN, N_LAYERS = 20, 5, 4, 2
CONFIG = BilstmConfig(
    name="tiny",
    dim=2 * HIDDEN,
    n_pieces=N_PIECES,
    embed_dim=EMBED,
    hidden_dim=HIDDEN,
    n_layers=N_LAYERS,
)


def made(config: BilstmConfig = CONFIG) -> BilstmModule:
    torch.manual_seed(5)
    return BilstmModule(config).eval()


def drawn_tokens() -> Tokens:
    generator = np.random.default_rng(1)
    lengths = np.array([7, 1, 4, 7, 2], np.int32)
    ids = generator.integers(0, N_PIECES, lengths.sum()).astype(np.int32)
    return make_tokens(ids, lengths)


def sigmoid(values: np.ndarray) -> np.ndarray:
    result: np.ndarray = 1 / (1 + np.exp(-values))
    return result


def run_cell(inputs: np.ndarray, module: BilstmModule, name: str) -> np.ndarray:
    """Hochreiter and Schmidhuber 1997 with forget gates, one step at a time."""
    parts = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    w_in, w_rec, b_in, b_rec = (
        getattr(module.lstm, f"{part}_{name}").detach().double().numpy()
        for part in parts
    )
    h = c = np.zeros(HIDDEN)
    states = []
    for x in inputs:
        gates = w_in @ x + b_in + w_rec @ h + b_rec
        i, f, g, o = np.split(gates, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return np.array(states)


def reference_states(ids: np.ndarray, module: BilstmModule) -> np.ndarray:
    states = module.embed.weight.detach().double().numpy()[ids]
    for layer in range(N_LAYERS):
        ahead = run_cell(states, module, f"l{layer}")
        back = run_cell(states[::-1], module, f"l{layer}_reverse")[::-1]
        states = np.concatenate([ahead, back], axis=1)
    result: np.ndarray = states
    return result


def test_states_are_those_of_the_equations() -> None:
    module, tokens = made(), drawn_tokens()
    states = module.states(collate(tokens, range(5))).detach().numpy()
    starts = tokens.ends - tokens.lengths
    for row, (start, end) in enumerate(zip(starts, tokens.ends, strict=True)):
        expected = reference_states(tokens.ids[start:end], module)
        np.testing.assert_allclose(states[row, : end - start], expected, atol=1e-5)


def test_vector_is_the_largest_state_of_each_dimension() -> None:
    module, tokens = made(), drawn_tokens()
    vectors = module(collate(tokens, range(5))).detach().numpy()
    expected = reference_states(tokens.ids[:7], module).max(axis=0)
    np.testing.assert_allclose(vectors[0], expected, atol=1e-5)


def test_packed_sequences_give_the_same_states() -> None:
    module, batch = made(), collate(drawn_tokens(), range(5))
    packed = pack_padded_sequence(
        module.embed(batch.ids), batch.lengths, batch_first=True, enforce_sorted=False
    )
    expected, _ = pad_packed_sequence(module.lstm(packed)[0], batch_first=True)
    states = module.states(batch)
    torch.testing.assert_close(
        states[batch.is_token], expected[batch.is_token], atol=1e-6, rtol=0
    )


def with_other_padding(batch: TokenBatch) -> TokenBatch:
    return batch._replace(ids=batch.ids.masked_fill(~batch.is_token, N_PIECES - 1))


def test_what_stands_in_the_padding_has_no_influence() -> None:
    module, batch = made(), collate(drawn_tokens(), range(5))
    first, second = module(batch), module(with_other_padding(batch))
    torch.testing.assert_close(first, second, atol=0, rtol=0)


def test_gradients_are_those_of_packed_sequences() -> None:
    module, batch = made().train(), collate(drawn_tokens(), range(5))
    module._dropout = 0.0
    module.states(batch)[batch.is_token].square().sum().backward()
    found = {
        name: p.grad.clone()
        for name, p in module.named_parameters()
        if p.grad is not None
    }
    module.zero_grad()
    packed = pack_padded_sequence(
        module.embed(batch.ids), batch.lengths, batch_first=True, enforce_sorted=False
    )
    module.lstm.dropout = 0.0
    module.lstm(packed)[0].data.square().sum().backward()
    assert len(found) == 1 + 8 * N_LAYERS
    for name, parameter in module.named_parameters():
        torch.testing.assert_close(found[name], parameter.grad, atol=1e-5, rtol=1e-4)


def test_dropout_is_only_in_training() -> None:
    module, batch = made(), collate(drawn_tokens(), range(5))
    torch.testing.assert_close(module(batch), module(batch), atol=0, rtol=0)
    module.train()
    assert not torch.equal(module(batch), module(batch))


@pytest.mark.parametrize("n_layers", [1, 5])
def test_layers_are_as_many_as_asked_for(n_layers: int) -> None:
    config = BilstmConfig(
        name="x", dim=8, n_pieces=9, embed_dim=5, hidden_dim=4, n_layers=n_layers
    )
    module = made(config)
    assert len(module.lstm.all_weights) == 2 * n_layers
    assert module(
        collate(make_tokens(np.array([1, 2], np.int32), np.array([2])), [0])
    ).shape == (1, 8)
