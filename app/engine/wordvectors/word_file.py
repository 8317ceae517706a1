"""The words of a text in a temporary file, from which vectors are learned."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from app.engine.runtime.report import Report
from app.engine.words.tokenizer import elides, fold_word, tokenize_texts
from app.errors import UserError

READING_STAGE = "Splitting texts into words"
PAGE = 10_000  # texts that are split together
# occurrences that a word needs, by the number of words of the text
MIN_COUNTS = ((1_000_000, 5), (20_000, 2), (0, 1))


def write_words(texts: Iterable[str], language: str, file: Path, report: Report) -> int:
    """Write case-folded words, a text per line; return the number of words.

    Args:
        texts: sentences or paragraphs, read once.
        language: its code decides how texts are split into words.
        file: to write.
        report: shows progress.
    """
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


def choose_min_count(min_count: int, n_tokens: int) -> int:
    """Return the occurrences that a word needs; 0: by the size of the text."""
    return min_count or next(count for least, count in MIN_COUNTS if n_tokens >= least)


def check_any_word(n_words: int, n_tokens: int, min_count: int) -> None:
    """Refuse a text without words that are frequent enough.

    Raises:
        UserError: there are none.
    """
    if n_words:
        return
    if not n_tokens:
        raise UserError("The text contains no words. Choose another text.")
    raise UserError(
        f"No word occurs {min_count} times among the {n_tokens:,} words of the text. "
        "Choose a longer text, or lower the minimum count."
    )


def _pages(texts: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(texts)
    while page := list(islice(iterator, PAGE)):
        yield page
