"""The sentences that come with the program."""

from app.engine.demo import sample_files


def sample_rows(language: str) -> list[list[str]]:
    """Read text, topic and gold key of each sentence of a language."""
    (file,) = [file for file in sample_files() if file.stem == language]
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    return [line.split("\t") for line in lines]


def sample_texts(language: str, n: int | None = None) -> list[str]:
    """Read the first sentences of a language; None: all."""
    return [text for text, *_ in sample_rows(language)[:n]]
