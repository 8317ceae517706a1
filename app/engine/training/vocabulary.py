"""Train a vocabulary of subwords or words on a sample of sentence pairs."""

import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.engine.runtime.blocking_calls import ChildCall, run_in_child
from app.engine.runtime.report import Report
from app.engine.text.line_files import describe_pair_file, file_stem, read_pairs
from app.engine.text.word_vocabulary import PieceCounter, split_words
from app.errors import UserError
from app.params.training.encoder import TrainVocabulary

READING_STAGE = "Reading pairs"
COUNTING_STAGE = "Counting the tokens of each language"
TRAINING_STAGE = "Training the vocabulary"
SETTINGS_FILE = "vocabulary.json"
FIRST_COLUMN = "eng"
N_BLOCK = 20_000  # pairs or lines read at once


def count_pairs(files: Sequence[Path], report: Report) -> list[int]:
    """Count the pairs of each file."""
    counts = []
    for done, file in enumerate(files):
        report.step("Counting pairs", done, len(files), describe_pair_file(file))
        counts.append(sum(1 for _ in read_pairs(file)))
    return counts


def share_quota(
    sizes: NDArray[np.int64], n_wanted: int, exponent: float
) -> NDArray[np.int64]:
    """Distribute a sample over groups by size^exponent, up to each group's size.

    The shortfall of small groups is distributed over the remaining groups.

    Args:
        sizes: int64 (g,), sentences of each group.
        n_wanted: total number of sentences.
        exponent: 1 = by size, 0 = all groups alike.

    Returns:
        int64 (g,), sentences to draw from each group.
    """
    quota = np.zeros(len(sizes), np.int64)
    weights = np.where(sizes > 0, sizes.astype(float) ** exponent, 0.0)
    for _ in range(len(sizes)):
        left = n_wanted - quota.sum()
        is_open = quota < sizes
        total = weights[is_open].sum()
        if left <= 0 or total == 0:
            break
        added = np.floor(left * np.where(is_open, weights, 0) / total).astype(np.int64)
        if not added.any():
            break
        quota = np.minimum(quota + added, sizes)
    return quota


class SamplePlan(msgspec.Struct, frozen=True):
    """Plan of a sample; English, the first column, is one language.

    Attributes:
        files: TSV of english⇥foreign, one file per language. counts: int64 (files,),
            pairs of each.
        english, foreign: int64 (files,), sentences of either side to draw.
        seed: random seed.
        has_english: the first column is English; false: it is empty.
    """

    files: tuple[Path, ...]
    counts: NDArray[np.int64]
    english: NDArray[np.int64]
    foreign: NDArray[np.int64]
    seed: int
    has_english: bool = True

    @property
    def n_sentences(self) -> int:
        """Return the number of sentences to draw."""
        return int(self.english.sum() + self.foreign.sum())

    def marks(self, i: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Mark the sentences to draw from file i: bool (pairs,) for either side."""
        generator = np.random.default_rng([self.seed, i])
        return (
            _mark(generator, self.counts[i], self.english[i]),
            _mark(generator, self.counts[i], self.foreign[i]),
        )


def plan_sample(
    files: Sequence[Path],
    report: Report,
    *,
    n_sentences: int,
    exponent: float,
    seed: int,
    has_english: bool = True,
) -> SamplePlan:
    """Distribute a sample over languages.

    Args:
        files: TSV of english⇥foreign, one file a language.
        n_sentences: total number of sentences.
        exponent: power of the size by which languages are sampled.
        has_english: whether the first column is English; false: it is empty.
    """
    counts = np.array(count_pairs(files, report), np.int64)
    n_english = counts.sum() if has_english else 0
    quota = share_quota(np.append(counts, n_english), n_sentences, exponent)
    english = np.floor(quota[-1] * counts / max(1, counts.sum())).astype(np.int64)
    return SamplePlan(tuple(files), counts, english, quota[:-1], seed, has_english)


def write_sample(plan: SamplePlan, out: Path, report: Report) -> None:
    """Write the sentences of a sample, one per line."""
    with out.open("w", encoding="utf-8", newline="\n") as stream:
        for i, file in enumerate(plan.files):
            report.step(READING_STAGE, i, len(plan.files), describe_pair_file(file))
            wants_english, wants_foreign = plan.marks(i)
            for row, (source, target) in enumerate(read_pairs(file)):
                if wants_english[row]:
                    stream.write(source + "\n")
                if wants_foreign[row]:
                    stream.write(target + "\n")


def _mark(
    generator: np.random.Generator, n: np.int64, n_marked: np.int64
) -> NDArray[np.bool_]:
    """Mark `n_marked` of `n` rows at random."""
    marked = np.zeros(n, np.bool_)
    marked[generator.permutation(n)[:n_marked]] = True
    return marked


class LanguageShare(msgspec.Struct, frozen=True):
    """A language's share of the tokens, before and after sampling.

    Attributes:
        language: the file's name without `eng-`; `eng` is the first column of all.
        n_sentences, n_sampled: sentences in the data and in the sample.
        share_before: share of the tokens of all data, 0…1.
        share_after: share of the tokens of the sample, 0…1.
        pieces_per_word: pieces per word in the sample; 0 without words of the language.
        unknown_share: share of unknown tokens of the language in the sample, 0…1.
    """

    language: str
    n_sentences: int
    n_sampled: int
    share_before: float
    share_after: float
    pieces_per_word: float
    unknown_share: float


class _Count(msgspec.Struct):
    """Counts of one language; `_sampled` counts are of the sample."""

    sentences: int = 0
    tokens: int = 0
    sentences_sampled: int = 0
    tokens_sampled: int = 0
    unknown_sampled: int = 0
    words_sampled: int = 0


def measure_shares(
    plan: SamplePlan, counter: PieceCounter, report: Report
) -> tuple[LanguageShare, ...]:
    """Count the tokens of all data and of the sample with a trained vocabulary.

    Returns:
        One entry for each language, by descending share of the sample.
    """
    counts = {FIRST_COLUMN: _Count()} if plan.has_english else {}
    for i, file in enumerate(plan.files):
        stem = file_stem(file)
        foreign = counts.setdefault(stem.removeprefix("eng-"), _Count())
        english = counts.get(FIRST_COLUMN, _Count())
        columns = list(zip((english, foreign), plan.marks(i), strict=True))
        for first, block in _blocks(read_pairs(file)):
            report.step(COUNTING_STAGE, i, len(plan.files), describe_pair_file(file))
            for side, (count, marks) in enumerate(columns):
                texts = [pair[side] for pair in block]
                _add(count, texts, marks[first : first + len(block)], counter)
    return _shares(counts)


def _add(
    count: _Count, texts: list[str], marks: NDArray[np.bool_], counter: PieceCounter
) -> None:
    """Count a block of one language; `marks` bool (n,) are the sample's."""
    pieces = counter.count_pieces(texts)
    count.sentences += len(texts)
    count.tokens += int(pieces.n_pieces.sum())
    count.sentences_sampled += int(marks.sum())
    count.tokens_sampled += int(pieces.n_pieces[marks].sum())
    count.unknown_sampled += int(pieces.n_unknown[marks].sum())
    sampled = [texts[i] for i in np.flatnonzero(marks)]
    count.words_sampled += sum(len(split_words(text)) for text in sampled)


def _shares(counts: dict[str, _Count]) -> tuple[LanguageShare, ...]:
    """Convert counts into shares."""
    n_tokens = max(1, sum(count.tokens for count in counts.values()))
    n_sampled = max(1, sum(count.tokens_sampled for count in counts.values()))
    shares = [
        LanguageShare(
            language,
            count.sentences,
            count.sentences_sampled,
            count.tokens / n_tokens,
            count.tokens_sampled / n_sampled,
            count.tokens_sampled / max(1, count.words_sampled),
            count.unknown_sampled / max(1, count.tokens_sampled),
        )
        for language, count in counts.items()
    ]
    return tuple(sorted(shares, key=lambda one: (-one.share_after, one.language)))


def _blocks(
    pairs: Iterator[tuple[str, str]],
) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Split an iterator into lists, each with the index of its first pair."""
    first = 0
    while block := list(islice(pairs, N_BLOCK)):
        yield first, block
        first += len(block)


class TrainVocabularyResult(msgspec.Struct, frozen=True):
    """A trained vocabulary.

    Attributes:
        folder: path of its folder.
        n_pieces: number of pieces or words.
        n_sentences: training sentences.
        languages: shares of the tokens of each language.
    """

    folder: str
    n_pieces: int
    n_sentences: int
    languages: tuple[LanguageShare, ...]


def build_vocabulary(
    files: Sequence[Path],
    params: TrainVocabulary,
    report: Report,
    *,
    has_english: bool = True,
) -> TrainVocabularyResult:
    """Train a vocabulary on files of pairs, also as the first stage of an encoder.

    Args:
        files: TSV of english⇥foreign.
        params: params of the vocabulary, whose files of pairs are ignored.
        has_english: false: the first columns are empty.
    """
    name = _file_name(params)
    if params.out.exists() and not params.out.is_dir():
        raise UserError(f"{params.out} is a file. Choose a new folder.")
    if (params.out / name).exists():
        raise UserError(
            f"{params.out} already contains a vocabulary. Choose a new folder."
        )
    folder = params.out.with_name(f".{params.out.name}.part")
    shutil.rmtree(folder, ignore_errors=True)  # left by a run that was killed
    folder.mkdir(parents=True)
    try:
        plan = plan_sample(
            files,
            report,
            n_sentences=params.n_sentences,
            exponent=params.sampling_exponent,
            seed=params.seed,
            has_english=has_english,
        )
        result = _build(plan, params, folder, report)
        params.out.mkdir(parents=True, exist_ok=True)
        for file in (name, SETTINGS_FILE):  # settings last: they mark completion
            shutil.move(folder / file, params.out / file)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return result


def _build(
    plan: SamplePlan, params: TrainVocabulary, folder: Path, report: Report
) -> TrainVocabularyResult:
    """Sample, train and measure in a hidden folder."""
    sample = folder / "sample.txt"
    write_sample(plan, sample, report)
    if params.units == "words":
        n_pieces, counter = _choose_words(sample, folder, plan, params, report)
    else:
        n_pieces, counter = _fit(sample, folder, plan, params, report)
    shares = measure_shares(plan, counter, report)
    result = TrainVocabularyResult(str(params.out), n_pieces, plan.n_sentences, shares)
    _write_settings(folder / SETTINGS_FILE, params, result)
    return result


def _fit(
    sample: Path,
    folder: Path,
    plan: SamplePlan,
    params: TrainVocabulary,
    report: Report,
) -> "tuple[int, PieceCounter]":
    """Train in a child process, since sentencepiece cannot be interrupted."""
    from app.engine.text.subword_vocabulary import MODEL_FILE, load_vocabulary

    call = ChildCall(
        "app.engine.text.subword_vocabulary:fit_vocabulary",
        {
            "sample": str(sample),
            "model": str(folder / MODEL_FILE),
            "n_pieces": params.n_pieces,
            "n_threads": os.cpu_count() or 1,
            "seed": params.seed,
            "kind": params.model,
        },
    )
    size_mb = sample.stat().st_size / 1e6
    note = f"{plan.n_sentences:,} sentences, {size_mb:.1f}\u00a0MB"
    n_pieces = int(run_in_child(call, report, stage=TRAINING_STAGE, note=note))
    return n_pieces, load_vocabulary(folder)


def _choose_words(
    sample: Path,
    folder: Path,
    plan: SamplePlan,
    params: TrainVocabulary,
    report: Report,
) -> "tuple[int, PieceCounter]":
    """Select the most frequent words of the sample."""
    from app.engine.text import word_vocabulary

    counts: Counter[str] = Counter()
    done = 0
    with sample.open(encoding="utf-8", newline="\n") as lines:
        while block := list(islice(lines, N_BLOCK)):
            report.step(
                TRAINING_STAGE, done, plan.n_sentences, f"{len(counts):,} words"
            )
            counts.update(word_vocabulary.count_words(block))
            done += len(block)
    chosen = word_vocabulary.most_frequent(counts, params.n_pieces)
    if not chosen:
        raise UserError("The pairs contain no words. Check the files.")
    (folder / word_vocabulary.WORDS_FILE).write_bytes(
        word_vocabulary.write_words(chosen)
    )
    return len(chosen), word_vocabulary.WordVocabulary(chosen)


def _file_name(params: TrainVocabulary) -> str:
    """Return the name of the vocabulary file."""
    from app.engine.text.subword_vocabulary import MODEL_FILE
    from app.engine.text.word_vocabulary import WORDS_FILE

    return WORDS_FILE if params.units == "words" else MODEL_FILE


def _write_settings(
    file: Path, params: TrainVocabulary, result: TrainVocabularyResult
) -> None:
    """Write the settings and languages next to the model."""
    is_words = params.units == "words"
    settings = {
        "kind": "words" if is_words else f"sentencepiece {params.model}",
        "n_pieces": result.n_pieces,
        "n_sentences": result.n_sentences,
        "sampling_exponent": params.sampling_exponent,
        "seed": params.seed,
        "languages": result.languages,
    }
    file.write_bytes(msgspec.json.format(msgspec.json.encode(settings), indent=2))
