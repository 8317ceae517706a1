"""The words of a text in a temporary file, from which vectors are learned."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from app.engine.runtime.report import Report
from app.engine.words.tokenizer import fold_word, tokenize_texts
from app.errors import UserError
from app.languages import elides

READING_STAGE, COUNTING_STAGE = "Splitting texts into words", "Counting words"
PAGE = 10_000  # texts that are split together
BLOCK = 50_000  # lines that are counted together
MAX_WORDS = 50_000  # the most frequent ones
# occurrences that a word needs, by the number of words of the text
MIN_COUNTS = ((1_000_000, 5), (20_000, 2), (0, 1))


class WordFile(NamedTuple):
    """A file of case-folded words, a text per line.

    Attributes:
        n_tokens: words of the file.
        min_count: occurrences that a word needs.
    """

    file: Path
    n_tokens: int
    min_count: int

    def check_any(self, n_words: int) -> None:
        """Refuse a text without words that are frequent enough.

        Raises:
            UserError: there are none.
        """
        if n_words:
            return
        if not self.n_tokens:
            raise UserError("The text contains no words. Choose another text.")
        raise UserError(
            f"No word occurs {self.min_count} times among the {self.n_tokens:,} words "
            "of the text. Choose a longer text, or lower the minimum count."
        )


@contextmanager
def write_words(
    texts: Iterable[str], language: str, min_count: int, report: Report
) -> Iterator[WordFile]:
    """Write the words of texts to a temporary file.

    Args:
        texts: sentences or paragraphs, read once.
        language: its code decides how texts are split into words.
        min_count: occurrences that a word needs; 0: by the size of the text.
    """
    with TemporaryDirectory(prefix="isogloss-") as folder:
        file = Path(folder) / "words.txt"
        n_tokens = _write(texts, language, file, report)
        by_size = next(count for least, count in MIN_COUNTS if n_tokens >= least)
        yield WordFile(file, n_tokens, min_count or by_size)


def frequent_words(split: WordFile, report: Report) -> list[str]:
    """List the most frequent words, at most 50,000; of equals the first in the text."""
    counts: Counter[str] = Counter()
    for lines in iterate_blocks(split.file):
        report.step(COUNTING_STAGE, 0, 0, f"{len(counts):,} words")
        for line in lines:
            counts.update(line)
    least = split.min_count
    return [word for word, n in counts.most_common(MAX_WORDS) if n >= least]


def iterate_blocks(file: Path) -> Iterator[list[list[str]]]:
    """Read the words of 50,000 texts at a time."""
    with file.open(encoding="utf-8") as stream:
        while block := [line.split() for line in islice(stream, BLOCK)]:
            yield block


def _write(texts: Iterable[str], language: str, file: Path, report: Report) -> int:
    """Write the words; return their number."""
    eliding = np.array([elides(language)])
    n_tokens = n_texts = 0
    with file.open("w", encoding="utf-8", newline="\n") as stream:
        for page in _pages(texts):
            report.step(READING_STAGE, 0, 0, f"{n_texts:,} lines")
            spans = tokenize_texts(page, eliding)
            rows = np.searchsorted(spans.offsets, spans.begins, "right") - 1
            lines: list[list[str]] = [[] for _ in page]
            for row, word in zip(rows.tolist(), spans.words(), strict=True):
                lines[row].append(fold_word(word))
            stream.writelines(f"{' '.join(line)}\n" for line in lines if line)
            n_texts += len(page)
            n_tokens += len(rows)
    return n_tokens


def _pages(texts: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(texts)
    while page := list(islice(iterator, PAGE)):
        yield page
