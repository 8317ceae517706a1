"""Treebanks in CoNLL-U: their usable sentences, and what was left out and why."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from app.engine.probing.trees import NoTreeError, Sentence, parse_sentence
from app.engine.report import Report
from app.engine.text.encoding import find_encoding
from app.engine.text.lines import read_lines
from app.engine.text.opening import ByteSource, check_file
from app.engine.text.readers.conllu import split_sentences
from app.errors import UserError

N_NAMED = 100  # refused sentences that are named one by one
STEP = 500  # sentences


class Refused(msgspec.Struct, frozen=True):
    """A sentence that could not be read.

    Attributes:
        line: of its file, from 1.
        reason: why, with the words' numbers.
    """

    file: Path
    line: int
    reason: str


class Treebank(msgspec.Struct):
    """The sentences of one or several files.

    Attributes:
        n_read: sentences in the files, those that were refused included.
        refused: the first of those that could not be read.
        dropped: reason → number of sentences that are not in `sentences`.
    """

    sentences: list[Sentence]
    n_read: int
    refused: list[Refused]
    dropped: Counter[str]

    @property
    def n_words(self) -> int:
        """Count the words of the usable sentences."""
        return sum(len(one.words) for one in self.sentences)


class WatchedSentences(Sequence[Sentence]):
    """Sentences; whoever goes through them can be cancelled."""

    def __init__(self, sentences: Sequence[Sentence], step: Callable[[], None]):
        """Take sentences, and what is called at each access."""
        self._sentences, self._step = sentences, step

    def __len__(self) -> int:
        """Count them."""
        return len(self._sentences)

    def __getitem__(self, place: Any) -> Any:
        """Give one, or some of them."""
        self._step()
        return self._sentences[place]


def read_treebank(
    files: Sequence[Path], lengths: tuple[int, int], report: Report
) -> Treebank:
    """Read the sentences of treebanks, each text once.

    Args:
        files: CoNLL-U, compressed or not.
        lengths: words (between spaces) of a sentence, at least and at most.
        report: of the run.

    Raises:
        UserError: a file is no CoNLL-U or has no usable sentence.
        ResourceError: a file is missing.
    """
    fewest, most = lengths
    treebank = Treebank([], 0, [], Counter())
    known: set[str] = set()
    for file in files:
        for sentence in _read_file(file, treebank, report):
            text = text_of(sentence.units)
            n_words = text.count(" ") + 1
            if not fewest <= n_words <= most:
                treebank.dropped[f"not {fewest} to {most} words long"] += 1
            elif text in known:
                treebank.dropped["the same text as another sentence"] += 1
            else:
                known.add(text)
                treebank.sentences.append(sentence)
    if not treebank.sentences:
        raise UserError(_nothing_usable(files, treebank))
    return treebank


def text_of(units: Sequence[str]) -> str:
    """Join tokens by single spaces, as SentEval's files have them.

    A token with spaces within is as many words to whoever splits the text.
    """
    return " ".join(" ".join(units).split())


def _read_file(file: Path, treebank: Treebank, report: Report) -> Iterator[Sentence]:
    check_file(file)
    encoding = find_encoding(file)
    with ByteSource(file) as source:
        lines = read_lines(source, encoding.name)
        for first, sentence_lines in split_sentences(lines, file):
            if treebank.n_read % STEP == 0:
                done = round(100 * source.fraction())
                report.step("Reading the treebank", done, 100, file.name)
            treebank.n_read += 1
            try:
                yield parse_sentence(first, sentence_lines)
            except NoTreeError as error:
                treebank.dropped[error.kind] += 1
                if len(treebank.refused) < N_NAMED:
                    refused = Refused(file, error.line, str(error))
                    treebank.refused.append(refused)


def _nothing_usable(files: Sequence[Path], treebank: Treebank) -> str:
    """Say why there is nothing, by the most frequent reason."""
    names = ", ".join(str(file) for file in files)
    if not treebank.n_read:
        return f"{names}: there is no sentence in it."
    reason, n = treebank.dropped.most_common(1)[0]
    text = f"{names}: none of {treebank.n_read:,} sentences can be used; of {n:,}"
    text += f" the reason is: {reason}"
    if treebank.refused:
        first = treebank.refused[0]
        text += f" (the first of those not read, line {first.line}: {first.reason})"
    return f"{text}."
