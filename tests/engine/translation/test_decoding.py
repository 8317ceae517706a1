"""Beam search against the enumeration of all sequences."""

import itertools

import numpy as np
import pytest
import torch

from app.engine.encoders.bridge.module import AttentiveDecoder, Memory
from app.engine.encoders.tokens import UNKNOWN_ROW, collate, make_tokens
from app.engine.translation.decoding import SearchSettings, length_bounds, search
from tests.engine.translation.made import tiny_module

N_PIECES = 5  # of the target vocabulary; the mark is piece 5


def _memory(sentence: list[int]) -> Memory:
    tokens = make_tokens(np.array(sentence, np.int32), np.array([len(sentence)]))
    return MODULE.read("eng", collate(tokens, [0]))


def _log_probability(
    decoder: AttentiveDecoder, memory: Memory, ids: list[int]
) -> float:
    """Score a sequence piece by piece, without the unknown piece and empty outputs."""
    state, total, previous = decoder.begin(memory), 0.0, decoder.mark_id
    for index, piece in enumerate(ids):
        states, state = decoder.run(memory, torch.tensor([[previous]]), state)
        logits = decoder.output(states[0, 0]).double()
        logits[UNKNOWN_ROW] = -torch.inf
        if index == 0:
            logits[decoder.mark_id] = -torch.inf
        total += float(torch.log_softmax(logits, 0)[piece])
        previous = piece
    return total


def _best_by_enumeration(
    sentence: list[int], bound: int, penalty: float
) -> tuple[list[int], float]:
    decoder, memory = MODULE.decoder("deu"), _memory(sentence)
    found: list[tuple[float, list[int]]] = []
    for length in range(1, bound + 1):
        for pieces in itertools.product(range(1, N_PIECES), repeat=length):
            ended = [*pieces, decoder.mark_id]
            factor = ((5 + len(ended)) / 6) ** penalty
            if len(ended) <= bound:
                total = _log_probability(decoder, memory, ended)
                found.append((total / factor, list(pieces)))
            if length == bound:  # cut off
                factor = ((5 + length) / 6) ** penalty
                total = _log_probability(decoder, memory, list(pieces))
                found.append((total / factor, list(pieces)))
    score, best = max(found)
    return best, score


MODULE = tiny_module()
SENTENCES = [[1, 2, 3], [4], [6, 5], [2, 2, 2, 2]]


@torch.no_grad()
@pytest.mark.parametrize("penalty", [0.0, 0.6, 2.0])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_wide_beam_finds_the_best_of_all_sequences(
    sentence: list[int], penalty: float
) -> None:
    (found,) = search(
        MODULE.decoder("deu"),
        _memory(sentence),
        np.array([3]),
        SearchSettings(beam_size=64, length_penalty=penalty),
    )
    pieces, score = _best_by_enumeration(sentence, 3, penalty)
    assert found.piece_ids == pieces
    assert found.score == pytest.approx(score, abs=1e-4)


@torch.no_grad()
@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_batch_gives_what_each_sentence_gives_alone(beam_size: int) -> None:
    ids = np.concatenate([np.array(one, np.int32) for one in SENTENCES])
    tokens = make_tokens(ids, np.array([len(one) for one in SENTENCES]))
    memory = MODULE.read("eng", collate(tokens, range(4)))
    bounds = np.array([5, 1, 3, 8])
    settings = SearchSettings(beam_size=beam_size)
    together = search(MODULE.decoder("deu"), memory, bounds, settings)
    for index, sentence in enumerate(SENTENCES):
        (alone,) = search(
            MODULE.decoder("deu"),
            _memory(sentence),
            bounds[index : index + 1],
            settings,
        )
        assert together[index].piece_ids == alone.piece_ids
        assert together[index].score == pytest.approx(alone.score, abs=1e-5)
        assert 1 <= len(alone.piece_ids) <= bounds[index]


@torch.no_grad()
def test_greedy_search_takes_the_likeliest_piece_each_time() -> None:
    decoder, memory = MODULE.decoder("deu"), _memory([1, 2, 3])
    (found,) = search(decoder, memory, np.array([6]), SearchSettings(beam_size=1))
    pieces: list[int] = []
    while len(pieces) < 6:
        options = [*range(1, N_PIECES), *([decoder.mark_id] if pieces else [])]
        totals = [_log_probability(decoder, memory, [*pieces, one]) for one in options]
        best = options[int(np.argmax(totals))]
        if best == decoder.mark_id:
            break
        pieces.append(best)
    assert found.piece_ids == pieces


@torch.no_grad()
def test_a_decoder_that_never_ends_stops_at_the_bound() -> None:
    module = tiny_module()
    decoder = module.decoder("deu")
    decoder.output.bias[decoder.mark_id] = -1e9
    for beam_size in (1, 4):
        (found,) = search(
            decoder, _memory([1]), np.array([7]), SearchSettings(beam_size)
        )
        assert len(found.piece_ids) == 7


def test_bounds_grow_with_the_source_and_end_at_the_most() -> None:
    bounds = length_bounds(np.array([1, 10, 500], np.int32), most=128)
    assert bounds.tolist() == [12, 30, 128]
