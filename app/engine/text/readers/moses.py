"""Read Moses files: one file per language, aligned line by line."""

from collections.abc import Iterator
from itertools import islice

from app.engine.text.encoding import EncodingGuess, find_encoding
from app.engine.text.files import ByteSource
from app.engine.text.lines import count_lines, read_lines
from app.engine.text.readers.blocks import Block, Reading, drop_rejected
from app.errors import UserError
from app.params.corpora import ImportCorpus

_UNITS = 4_000


def read_moses(params: ImportCorpus, limit: int | None = None) -> Reading:
    """Open the files of a parallel text; see `readers.open_reading`."""
    n_files, n_languages = len(params.files), len(params.languages)
    if n_files < 2:
        raise UserError(
            f"{params.files[0]} is one file, but a parallel text has one file for each "
            "language."
        )
    if n_languages not in (0, n_files):
        raise UserError(
            f"{n_files} files but {n_languages} languages are set. Set one "
            "language for each file, in the same order."
        )
    encodings = _find_encodings(params, is_preview=limit is not None)
    sources = [ByteSource(path, limit=limit) for path in params.files]
    names = list(dict.fromkeys(encoding.name for encoding in encodings))
    return Reading(
        languages=params.languages,
        blocks=_all_blocks(params, sources, encodings, is_whole=limit is None),
        fraction=sources[0].fraction,
        check=lambda: _for_each(sources, "check_unchanged"),
        close=lambda: _for_each(sources, "close"),
        encoding=", ".join(names),
        encoding_confidence=min(encoding.confidence for encoding in encodings),
    )


def check_line_counts(params: ImportCorpus) -> None:
    """Count the lines of all files of a parallel text.

    Raises:
        UserError: the numbers differ; the sentence names them.
    """
    for _ in _check_counts(params, _find_encodings(params, is_preview=True)):
        pass


def _find_encodings(params: ImportCorpus, *, is_preview: bool) -> list[EncodingGuess]:
    languages = params.languages or ("",) * len(params.files)
    return [
        find_encoding(
            path, wanted=params.encoding, language=language, is_preview=is_preview
        )
        for path, language in zip(params.files, languages, strict=True)
    ]


def _all_blocks(
    params: ImportCorpus,
    sources: list[ByteSource],
    encodings: list[EncodingGuess],
    *,
    is_whole: bool,
) -> Iterator[Block]:
    if is_whole:
        yield from _check_counts(params, encodings)
    yield from _aligned_blocks(sources, encodings)


def _check_counts(
    params: ImportCorpus, encodings: list[EncodingGuess]
) -> Iterator[Block]:
    """Count the lines of all files first; empty blocks allow the caller to stop."""
    counts = []
    for path, encoding in zip(params.files, encodings, strict=True):
        with ByteSource(path) as source:
            counts.append(0)
            for so_far in count_lines(source, encoding.name):
                counts[-1] = so_far
                yield Block([], [[] for _ in encodings], [], [], {})
    if len(set(counts)) > 1:
        numbers = ", ".join(
            f"{path.name} has {count:,}"
            for path, count in zip(params.files, counts, strict=True)
        )
        raise UserError(
            f"The files have different numbers of lines ({numbers}), but the lines of "
            "a parallel text must correspond. Check that both files are complete."
        )


def _aligned_blocks(
    sources: list[ByteSource], encodings: list[EncodingGuess]
) -> Iterator[Block]:
    refused: dict[int, str] = {}
    sides = [
        _texts(source, encoding.name, refused)
        for source, encoding in zip(sources, encodings, strict=True)
    ]
    first = 1
    while True:
        texts = [list(islice(side, _UNITS)) for side in sides]
        n = min(map(len, texts))
        if n == 0:
            return
        lines = list(range(first, first + n))
        here = {line: refused.pop(line) for line in lines if line in refused}
        yield drop_rejected(lines, [side[:n] for side in texts], here)
        first += n


def _texts(source: ByteSource, encoding: str, refused: dict[int, str]) -> Iterator[str]:
    for block in read_lines(source, encoding):
        for line, reason in block.refused.items():
            refused[line] = f"{source.path.name}: {reason}"
        yield from block.texts


def _for_each(sources: list[ByteSource], action: str) -> None:
    for source in sources:
        getattr(source, action)()
