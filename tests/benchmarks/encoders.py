"""Speed of LASER's BiLSTM here, against a plain loop and against LASER's own way.

By hand: python -m tests.benchmarks.encoders [--sentences 1600] [--rounds 3]

One run, the same random weights of LASER's sizes (5 layers of 512 each way over
embeddings of 320), the same distinct sentences of the bundled samples, cut into the
pieces of the bundled encoder:
  (a) a plain loop: sentence after sentence in the order of the file;
  (b) LASER's own way (facebookresearch/LASER, source/embed.py): buffers of 10,000
      sentences sorted by length, batches of at most 12,000 tokens, packed sequences;
  ours: `NeuralEncoder`.
The ways take turns, and the best round of each counts. (a) takes every eighth sentence.
Bounds: ours at least twice (a), not slower than (b), and equal vectors to 1e-5.
"""

import argparse
import random
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from app.arrays import FloatArray
from app.engine.encoders.bilstm import BilstmModule
from app.engine.encoders.configs import BilstmConfig
from app.engine.encoders.neural import NeuralEncoder
from app.engine.encoders.registry import find_encoder
from app.engine.encoders.tokenisers import SPECIAL_IDS, LaserTokeniser
from app.engine.encoders.tokens import Tokens
from app.engine.text.subword_vocabulary import load_vocabulary
from app.paths import resource_dir

BUFFER, MAX_TOKENS = 10_000, 12_000  # of LASER's embed
LOOP_STRIDE = 8  # of the sentences, the plain loop takes one in so many
WEIGHT_SCALE = 3.0  # times torch's first weights, whose vectors are close to zero
BOUND_LOOP, BOUND_LASER, BOUND_ERROR = 2.0, 1.0, 1e-5


class Peer(NamedTuple):
    """LASER's encoder as torch has it: the same weights as ours."""

    embed: nn.Embedding
    lstm: nn.LSTM

    def encode(self, rows: list[np.ndarray]) -> FloatArray:
        """Encode rows of ids that fall in length: float32 (b, d)."""
        lengths = [len(row) for row in rows]
        ids = torch.ones(len(rows), lengths[0], dtype=torch.long)  # LASER's padding
        for i, row in enumerate(rows):
            ids[i, : len(row)] = torch.from_numpy(row)
        embedded = self.embed(ids).transpose(0, 1)  # (b, t) -> (t, b, e)
        packed, _ = self.lstm(pack_padded_sequence(embedded, lengths))
        states, _ = pad_packed_sequence(packed)  # (t, b, 2h)
        is_padding = ids.eq(1).t().unsqueeze(-1)
        if is_padding.any():
            states = states.masked_fill(is_padding, -torch.inf)
        vectors: FloatArray = states.amax(dim=0).numpy()
        return vectors


def encode_in_order(peer: Peer, rows: list[np.ndarray]) -> FloatArray:
    """Encode sentence after sentence."""
    return np.concatenate([peer.encode([row]) for row in rows])


def encode_as_laser(peer: Peer, rows: list[np.ndarray]) -> FloatArray:
    """Encode in buffers sorted by length, in batches bounded in tokens."""
    vectors = np.empty((len(rows), 2 * peer.lstm.hidden_size), np.float32)
    for start in range(0, len(rows), BUFFER):
        buffer = rows[start : start + BUFFER]
        order = np.argsort([-len(row) for row in buffer], kind="stable")
        batch: list[int] = []
        n_tokens = 0
        for i in order.tolist():
            if batch and n_tokens + len(buffer[i]) > MAX_TOKENS:
                vectors[[start + k for k in batch]] = peer.encode(
                    [buffer[k] for k in batch]
                )
                batch, n_tokens = [], 0
            batch.append(i)
            n_tokens += len(buffer[i])
        vectors[[start + k for k in batch]] = peer.encode([buffer[k] for k in batch])
    return vectors


def make_encoders() -> tuple[NeuralEncoder, Peer]:
    """Make our encoder and LASER's with the same random weights."""
    torch.manual_seed(0)
    vocabulary = load_vocabulary(find_encoder(""))
    pieces = map(vocabulary.processor.id_to_piece, range(1, vocabulary.n_pieces))
    dictionary = dict(SPECIAL_IDS)
    for piece in pieces:
        dictionary.setdefault(piece, len(dictionary))
    config = BilstmConfig(
        name="LASER",
        dim=1024,
        n_pieces=len(dictionary),
        n_layers=5,
        dropout=0.0,
        is_laser=True,
    )
    module = BilstmModule(config).eval()
    for weights in module.lstm.parameters():
        weights.data *= WEIGHT_SCALE
    lstm = nn.LSTM(config.embed_dim, config.hidden_dim, 5, bidirectional=True).eval()
    lstm.load_state_dict(module.lstm.state_dict())
    tokeniser = LaserTokeniser(vocabulary, dictionary, MAX_TOKENS)
    return NeuralEncoder(module, tokeniser), Peer(module.embed, lstm)


def read_samples(n: int) -> list[str]:
    """Read n distinct sentences of the bundled samples, in a fixed random order."""
    texts = {
        line.split("\t")[0]
        for file in (resource_dir() / "samples").glob("??.tsv")
        for line in file.read_text(encoding="utf-8").splitlines()[1:]
    }
    sentences = sorted(texts)
    random.Random(0).shuffle(sentences)
    return sentences[:n]


def split_rows(tokens: Tokens) -> list[np.ndarray]:
    """Return each sentence's ids."""
    return np.split(tokens.ids.astype(np.int64), tokens.ends[:-1])


def time_rounds(
    ways: dict[str, Callable[[], FloatArray]], n_rounds: int
) -> tuple[dict[str, float], dict[str, FloatArray]]:
    """Let the ways take turns; give the best time in seconds, and the vectors."""
    best = dict.fromkeys(ways, float("inf"))
    vectors = {}
    with torch.inference_mode():
        for _ in range(n_rounds):
            for name, encode in ways.items():
                begun = time.perf_counter()
                vectors[name] = encode()
                best[name] = min(best[name], time.perf_counter() - begun)
    return best, vectors


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=1_600)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    encoder, peer = make_encoders()
    texts = read_samples(options.sentences)
    tokens = encoder.tokeniser.tokenise(texts)
    rows = split_rows(tokens)
    few = rows[::LOOP_STRIDE]
    ways = {
        "ours": lambda: encoder.encode_tokens(tokens),
        "LASER's own way": lambda: encode_as_laser(peer, rows),
        "plain loop": lambda: encode_in_order(peer, few),
    }
    best, vectors = time_rounds(ways, options.rounds)
    rates = {name: len(tokens.ids) / best[name] for name in ("ours", "LASER's own way")}
    rates["plain loop"] = sum(map(len, few)) / best["plain loop"]
    print(f"{len(texts):,} sentences, {len(tokens.ids):,} pieces")
    print(f"threads: {torch.get_num_threads()}")
    for name, rate in rates.items():
        per_text = len(texts) / len(tokens.ids)
        print(
            f"{name + ':':17} {rate:7,.0f} pieces, {rate * per_text:6,.1f} sentences/s"
        )
    ratio_loop = rates["ours"] / rates["plain loop"]
    ratio_laser = rates["ours"] / rates["LASER's own way"]
    print(f"ours / plain loop:      {ratio_loop:.2f} (bound {BOUND_LOOP})")
    print(f"ours / LASER's own way: {ratio_laser:.2f} (bound {BOUND_LASER})")
    errors = (
        np.abs(vectors["ours"] - vectors["LASER's own way"]).max(),
        np.abs(vectors["ours"][::LOOP_STRIDE] - vectors["plain loop"]).max(),
    )
    print(f"largest difference:     {max(errors):.1e} (bound {BOUND_ERROR:.0e})")


if __name__ == "__main__":
    main()
