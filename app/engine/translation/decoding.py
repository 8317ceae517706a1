"""Greedy and beam search over the decoder of a translation model, in batches."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.engine.encoders.bridge.codec import Codec
from app.engine.encoders.bridge.module import (
    AttentiveDecoder,
    DecoderState,
    Memory,
    TranslationModule,
)
from app.engine.encoders.tokens import UNKNOWN_ROW, batches_by_length, collate
from app.engine.runtime.report import Report
from app.languages import language_name

BATCH_ROWS = 320  # hypotheses per batch
BATCH_TOKENS = 4_000  # source pieces per batch, including padding
EXTRA_PIECES = 10  # maximum pieces: twice the source's plus this number
STAGE = "Translating"


class SearchSettings(NamedTuple):
    """Settings of the search for translations.

    Attributes:
        beam_size: hypotheses per sentence; 1: greedy search.
        length_penalty: α of Wu et al. 2016, "Google's Neural Machine Translation
            System", equation 14: a hypothesis y is ranked by its log-probability
            divided by ((5 + |y|) / 6)^α; |y| includes the final mark. 0: no penalty.
    """

    beam_size: int = 4
    length_penalty: float = 0.6


class Hypothesis(NamedTuple):
    """A translation.

    Attributes:
        piece_ids: pieces without the final mark.
        score: score that ranks hypotheses (see `SearchSettings`).
    """

    piece_ids: list[int]
    score: float


class Translator:
    """Translates with a model in evaluation mode."""

    def __init__(self, model: TranslationModule, codec: Codec, device: str = "cpu"):
        self._model = model.eval()
        self._codec = codec
        self._device = device

    def translate(
        self,
        texts: Sequence[str],
        source: str,
        target: str,
        settings: SearchSettings,
        report: Report,
    ) -> list[str]:
        """Translate sentences; the result is empty without a known piece."""
        tokens = self._codec.tokeniser(source, target).tokenise(texts)
        lengths = tokens.lengths
        (known,) = np.nonzero(lengths)
        size = max(1, BATCH_ROWS // settings.beam_size)
        translations = [""] * len(texts)
        n_done, note = 0, f"{language_name(source)} → {language_name(target)}"
        for batch in batches_by_length(lengths[known], BATCH_TOKENS, size):
            report.step(STAGE, n_done, len(known), note)
            indices = known[batch]
            with torch.inference_mode():
                memory = self._model.read(
                    source, collate(tokens, indices, self._device)
                )
                found = search(
                    self._model.decoder(target),
                    memory,
                    length_bounds(lengths[indices], self._codec.config.max_tokens),
                    settings,
                )
            for index, hypothesis in zip(indices.tolist(), found, strict=True):
                translations[index] = self._codec.join(hypothesis.piece_ids, target)
            n_done += len(indices)
        return translations


def length_bounds(lengths: NDArray[np.int32], most: int) -> NDArray[np.int64]:
    """Return the maximum pieces of each translation, so that every search ends."""
    return np.minimum(2 * lengths.astype(np.int64) + EXTRA_PIECES, most)


class _Beams(NamedTuple):
    """Unfinished hypotheses of b sentences, m each.

    Attributes:
        pieces: int64 (b, m, t).
        sums: float (b, m), log-probabilities; -inf: no hypothesis.
        state: float (layers, b * m, h) each.
    """

    pieces: Tensor
    sums: Tensor
    state: DecoderState


def search(
    decoder: AttentiveDecoder,
    memory: Memory,
    bounds: NDArray[np.int64],
    settings: SearchSettings,
) -> list[Hypothesis]:
    """Find the best hypothesis of each sentence.

    Each step extends all unfinished hypotheses and keeps the `beam_size` most likely
    extensions. Extensions that end with the mark, or reach the sentence's bound, are
    finished. A sentence is done when no unfinished hypothesis can still have a better
    score than the best finished one.

    Args:
        memory: memory of b sentences.
        bounds: int64 (b,), maximum pieces of each translation, at least 1.

    Returns:
        b hypotheses of at least one piece. The unknown piece is never generated.
    """
    n, m = len(memory.rows), settings.beam_size
    best: list[Hypothesis | None] = [None] * n
    active = np.arange(n)  # sentence of each row of the beams
    beams = _begin(decoder, memory, m)
    memory = _repeat(memory, m)
    for length in range(1, int(bounds.max()) + 1):
        beams, ended = _extend(decoder, memory, beams)
        penalty = _length_factor(length, settings.length_penalty)
        is_last = torch.from_numpy(bounds[active] <= length).to(beams.sums.device)
        is_finished = (ended | is_last[:, None]) & beams.sums.isfinite()
        _record(best, active, beams, is_finished, ended, penalty)
        sums = beams.sums.masked_fill(ended | is_last[:, None], -torch.inf)
        beams = beams._replace(sums=sums)
        is_open = _is_open(best, active, sums, bounds, settings.length_penalty)
        if not is_open.any():
            break
        if not is_open.all():
            kept = torch.from_numpy(np.flatnonzero(is_open)).to(sums.device)
            active = active[is_open]
            beams, memory = _take(beams, kept), _take_memory(memory, kept, m)
    return [one for one in best if one is not None]


def _length_factor(length: int, penalty: float) -> float:
    return float(((5 + length) / 6) ** penalty)


def _begin(decoder: AttentiveDecoder, memory: Memory, m: int) -> _Beams:
    """Return one empty hypothesis per sentence, and m - 1 masked ones."""
    n = len(memory.rows)
    hidden, cell = decoder.begin(memory)
    sums = memory.rows.new_full((n, m), -torch.inf)
    sums[:, 0] = 0
    pieces = torch.empty((n, m, 0), dtype=torch.long, device=memory.rows.device)
    state = hidden.repeat_interleave(m, 1), cell.repeat_interleave(m, 1)
    return _Beams(pieces, sums, state)


def _repeat(memory: Memory, m: int) -> Memory:
    """Repeat each sentence m times, (b, …) -> (b * m, …)."""
    rows, is_row = (x.repeat_interleave(m, 0) for x in (memory.rows, memory.is_row))
    return Memory(rows, is_row, None)


def _extend(
    decoder: AttentiveDecoder, memory: Memory, beams: _Beams
) -> tuple[_Beams, Tensor]:
    """Extend hypotheses by a piece; also return whether they end, bool (b, m)."""
    n, m, length = beams.pieces.shape
    previous = (
        beams.pieces[:, :, -1]
        if length
        else beams.pieces.new_full((n, m), decoder.mark_id)
    )
    states, (hidden, cell) = decoder.run(
        memory, previous.reshape(n * m, 1), beams.state
    )
    logits = decoder.output(states[:, 0]).float()  # (b * m, h) -> (b * m, pieces)
    logits[:, UNKNOWN_ROW] = -torch.inf
    if not length:
        logits[:, decoder.mark_id] = -torch.inf
    sums = torch.log_softmax(logits, dim=1).view(n, m, -1) + beams.sums[:, :, None]
    n_pieces = sums.shape[2]
    sums, chosen = sums.flatten(1).topk(m, dim=1)  # (b, m * pieces) -> (b, m)
    parents, pieces = chosen // n_pieces, chosen % n_pieces
    rows = (torch.arange(n, device=sums.device)[:, None] * m + parents).flatten()
    kept = beams.pieces.flatten(0, 1)[rows].view(n, m, length)
    extended = torch.cat([kept, pieces[:, :, None]], dim=2)
    state = hidden[:, rows], cell[:, rows]
    return _Beams(extended, sums, state), pieces == decoder.mark_id


def _record(
    best: list[Hypothesis | None],
    active: NDArray[np.int64],
    beams: _Beams,
    is_finished: Tensor,
    ended: Tensor,
    penalty: float,
) -> None:
    """Store finished hypotheses that are better than their sentence's best."""
    for row, beam in is_finished.nonzero().tolist():
        total = float(beams.sums[row, beam])
        known = best[active[row]]
        if known is None or total / penalty > known.score:
            pieces = beams.pieces[row, beam].tolist()
            if ended[row, beam]:
                pieces.pop()
            best[active[row]] = Hypothesis(pieces, total / penalty)


def _is_open(
    best: list[Hypothesis | None],
    active: NDArray[np.int64],
    sums: Tensor,
    bounds: NDArray[np.int64],
    penalty: float,
) -> NDArray[np.bool_]:
    """Return whether each sentence may still find a better hypothesis, bool (b,).

    Log-probabilities only decrease, and longer hypotheses are divided by more, so the
    largest sum divided by the bound's factor is the maximum possible score.
    """
    highest = sums.amax(dim=1).cpu().numpy()
    is_open = np.isfinite(highest)
    for row, index in enumerate(active.tolist()):
        known = best[index]
        if is_open[row] and known is not None:
            reachable = highest[row] / _length_factor(int(bounds[index]), penalty)
            is_open[row] = reachable > known.score
    return np.asarray(is_open, np.bool_)


def _take(beams: _Beams, rows: Tensor) -> _Beams:
    """Select some of the sentences."""
    n, m = beams.sums.shape
    hidden, cell = (
        part.view(len(part), n, m, -1)[:, rows].flatten(1, 2) for part in beams.state
    )
    state = hidden.contiguous(), cell.contiguous()
    return _Beams(beams.pieces[rows], beams.sums[rows], state)


def _take_memory(memory: Memory, rows: Tensor, m: int) -> Memory:
    taken_rows, is_row = (
        part.view(-1, m, *part.shape[1:])[rows].flatten(0, 1)
        for part in (memory.rows, memory.is_row)
    )
    return Memory(taken_rows, is_row, None)
