"""An encoder with known vectors: words of a list have axes, in any language."""

from collections.abc import Sequence

import numpy as np

from app.arrays import FloatArray

# The same word in "two languages" stands on the same axis, as in a shared space.
WORDS = ("ball", "goal", "team", "tax", "vote", "law", "rain", "snow", "wind", "the")


class WordEncoder:
    """Counts the words of a text; `xball` is `ball` in the language x."""

    name, dim, fingerprint = "words", len(WORDS), "0" * 64

    def encode(self, texts: Sequence[str]) -> FloatArray:
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            for word in text.split():
                plain = word.removeprefix("x")
                if plain in WORDS:
                    vectors[row, WORDS.index(plain)] += 1
        return vectors


TOPICS = {
    "sport": ("ball", "goal", "team"),
    "politics": ("tax", "vote", "law"),
    "weather": ("rain", "snow", "wind"),
}


def make_rows(n: int, *, prefix: str = "", seed: int = 1) -> list[tuple[str, str]]:
    """Make labels and texts: two words of the topic, one of any, and "the"."""
    generator = np.random.default_rng(seed)
    rows = []
    for index in range(n):
        topic = list(TOPICS)[index % 3]
        words = [*generator.choice(TOPICS[topic], 2), *generator.choice(WORDS[:9], 1)]
        rows.append((topic, " ".join(f"{prefix}{word}" for word in (*words, "the"))))
    return rows


def as_lines(rows: Sequence[tuple[str, ...]]) -> str:
    """Write rows as a TSV."""
    return "".join("\t".join(row) + "\n" for row in rows)
