"""Two artificial languages with one-to-one words, and pairs of sentences in them."""

from pathlib import Path

import numpy as np

SYLLABLES = ("ba", "do", "ki", "lu", "me", "no", "pa", "ri", "su", "te")
N_WORDS = 100


def english_word(i: int) -> str:
    return SYLLABLES[i // 10] + SYLLABLES[i % 10]


def foreign_word(i: int) -> str:
    return english_word((i * 37 + 11) % N_WORDS).translate(
        str.maketrans("aeiou", "яэиюы")
    )


def make_pairs(n_pairs: int, seed: int = 0) -> list[tuple[str, str]]:
    generator = np.random.default_rng(seed)
    pairs = []
    for _ in range(n_pairs):
        words = generator.integers(0, N_WORDS, generator.integers(3, 8))
        english = " ".join(english_word(i) for i in words)
        pairs.append((english, " ".join(foreign_word(i) for i in words)))
    return pairs


def write_pairs(file: Path, n_pairs: int, seed: int = 0) -> Path:
    lines = [
        f"{english}\t{foreign}\tmade\n"
        for english, foreign in make_pairs(n_pairs, seed)
    ]
    file.write_text("".join(lines), encoding="utf-8", newline="\n")
    return file
