"""Comparison of the languages in pair files with the file names."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from app.engine.text.language_detection import (
    describe_language_mismatch,
    guess_language,
)
from app.engine.text.line_files import language_pair, read_pairs

N_GUESSED_FROM = 200  # pairs


def check_pair_languages(files: Sequence[Path]) -> Iterator[str]:
    """Yield a warning for each column in another language than the file name specifies.

    Raises:
        UserError: a file can't be read as pairs.
        ResourceError: a file is missing.
    """
    for file in files:
        sides = zip(*islice(read_pairs(file), N_GUESSED_FROM), strict=True)
        named = zip(language_pair(file), sides, strict=True)
        for number, (code, texts) in enumerate(named, 1):
            mismatch = code and describe_language_mismatch(guess_language(texts), code)
            if mismatch:
                yield f"{file.name}, column {number}: {mismatch}"
