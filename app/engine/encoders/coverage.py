"""Measure how well an encoder covers a language, on corpora or files."""

import logging
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray
from app.engine.project.active_sentences import active_positions
from app.engine.store.corpora import CorpusRow, first_sentence_id
from app.engine.store.sentences import read_languages, read_sentences
from app.engine.text.line_files import read_lines
from app.engine.text.word_vocabulary import PieceCounter
from app.errors import UserError
from app.languages import parse_language
from app.number_format import format_percent
from app.paths import strip_compression
from app.results.coverage import CoverageRating, LanguageCoverage

if TYPE_CHECKING:
    from app.engine.project.project import Project

log = logging.getLogger("engine")

MAX_SENTENCES = 1_000  # of a language
MAX_LINES = 100_000  # lines per file to sample from


class LanguageTexts(NamedTuple):
    """A sample of one language.

    Attributes:
        texts: distinct texts, not empty.
        ids: ids of the sentences in the project; 0 for a line of a file.
    """

    texts: list[str]
    ids: list[int]


def sample_corpora(
    project: "Project", corpora: Sequence[CorpusRow]
) -> dict[str, LanguageTexts]:
    """Sample each language of some corpora, evenly over its sentences."""
    places: dict[str, list[NDArray[np.int64]]] = {}
    for corpus in corpora:
        for language, positions in _positions(project, corpus).items():
            places.setdefault(language, []).append(
                first_sentence_id(corpus.id) + positions
            )
    samples = {}
    for language, groups in places.items():
        ids = _evenly(np.concatenate(groups)).tolist()
        rows = [row for row in read_sentences(project.store, ids) if row is not None]
        samples[language] = _drop_duplicates([(row.text, row.id) for row in rows])
    return samples


def sample_file(file: Path) -> tuple[str, LanguageTexts]:
    """Sample a file NAME.LANGUAGE or LANGUAGE.txt (also .xz, .gz, .zst).

    Returns:
        The language's stored code, and its texts.

    Raises:
        UserError: the name contains no language, or the file is empty or damaged.
    """
    plain = strip_compression(file)
    name = plain.stem if plain.suffix == ".txt" else plain.name
    language = parse_language(name.rpartition(".")[2])
    if not plain.suffix or not language.code:
        raise UserError(
            f"The file name {file} contains no language. Rename it to "
            "NAME.CODE or CODE.txt."
        )
    if not language.known:
        log.warning("%r is not a language code of ISO 639 or BCP 47", language.given)
    lines = [line for line in islice(read_lines(file), MAX_LINES) if line.strip()]
    if not lines:
        raise UserError(
            f"{file} contains no text. Choose a file with one sentence per line."
        )
    chosen = _evenly(np.arange(len(lines)))
    return language.code, _drop_duplicates([(lines[i], 0) for i in chosen])


def _positions(project: "Project", corpus: CorpusRow) -> dict[str, NDArray[np.int64]]:
    """Return the positions of each language in a corpus."""
    codes = read_languages(project.store, corpus.id)
    rows = active_positions(project, corpus)
    chosen = np.arange(corpus.n_sentences) if rows is None else rows
    if codes is None:
        return {corpus.language: chosen} if len(chosen) else {}
    codes = codes[chosen]
    return {str(code): chosen[codes == code] for code in np.unique(codes)}


def _evenly(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Choose at most `MAX_SENTENCES` values, evenly over all."""
    if len(values) <= MAX_SENTENCES:
        return values
    return values[np.linspace(0, len(values) - 1, MAX_SENTENCES).astype(np.int64)]


def _drop_duplicates(rows: Sequence[tuple[str, int]]) -> LanguageTexts:
    """Remove duplicate texts, which are each other's neighbours but not hubs."""
    ids = {text: id_ for text, id_ in reversed(rows) if text.strip()}
    texts = list(reversed(ids))
    return LanguageTexts(texts, [ids[text] for text in texts])


K = 10  # neighbours for counting hubs, as in Radovanović et al.
HUB_FACTOR = 3  # a hub is among the K nearest of at least this many times K others
MIN_SENTENCES = 30  # below, no verdict is green
MIN_FOR_HUBS = 100  # below, hubs can't be detected

# Where a number turns amber, and where red. With isogloss-3 on 204 columns of
# FLORES-200 dev (997 sentences each, nearest neighbour against English) the retrieval
# error was 9 % in the mean of the 158 green columns, 29 % of the 36 amber ones and 50 %
# of the 10 red ones (tests/benchmarks/thresholds.py); with isogloss-2, 14 % of 142,
# 30 % of 47 and 58 % of 15. Two red columns are better than they look: Oriya (5 %), by
# its letters' n-grams, and Tok Pisin (12 %), whose sentences are hubs.
UNKNOWN = {"word": (0.02, 0.10), "character": (0.06, 0.15)}
UNKNOWN_WORDS = (0.30, 0.60)  # not measured: such encoders know the words' n-grams
PIECES = {"word": (3.5, 6.0), "character": (1.5, 2.5)}
SCRIPT = {"word": (0.98, 0.85), "character": (0.90, 0.75)}
HUBS = (0.04, 0.06)
ZERO = (0.005, 0.05)

# First words of the names of characters in scripts without spaces between words.
_UNSPACED = frozenset(
    ["CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"]
)
_LETTERS = frozenset("LM")
_UNNAMED = frozenset(["Co", "Cn"])  # private use: letters of a script outside Unicode

Per = Literal["word", "character"]


class PieceFacts(NamedTuple):
    """Piece statistics of a language's texts; see `LanguageCoverage`."""

    unknown: float
    pieces: float | None
    per: Per
    script: float | None


class VectorFacts(NamedTuple):
    """Vector statistics of a language's texts; see `LanguageCoverage`.

    Attributes:
        hub_row: the row that is among the nearest of most other rows; None: no hub.
    """

    zero: float
    hubs: float | None = None
    skewness: float | None = None
    hub_row: int | None = None


def measure_words(counter: PieceCounter, texts: Sequence[str]) -> PieceFacts:
    """Measure the share of words in a vocabulary of complete words."""
    counts = counter.count_pieces(texts)
    unknown = int(counts.n_unknown.sum()) / max(int(counts.n_pieces.sum()), 1)
    return PieceFacts(unknown, None, "word", None)


def measure_pieces(counter: PieceCounter, texts: Sequence[str]) -> PieceFacts:
    """Measure the segmentation of one language's texts into pieces."""
    letters = Counter(char for text in texts for char in text if _is_letter(char))
    n_letters = letters.total()
    per: Per = "character" if _is_unspaced(letters) else "word"
    n_units = n_letters if per == "character" else sum(len(t.split()) for t in texts)
    counts = counter.count_pieces(texts)
    n_pieces = int(counts.n_pieces.sum())
    alone = counter.count_pieces(list(letters))
    is_piece = (alone.n_pieces == 1) & (alone.n_unknown == 0)
    numbers = np.fromiter(letters.values(), np.int64, len(letters))
    return PieceFacts(
        unknown=int(counts.n_unknown.sum()) / max(n_pieces, 1),
        pieces=n_pieces / max(n_units, 1),
        per=per,
        script=int(numbers[is_piece].sum()) / n_letters if n_letters else 1.0,
    )


def measure_vectors(unit_vectors: FloatArray) -> VectorFacts:
    """Measure zero vectors and hubs among the sentences of one language.

    Args:
        unit_vectors: float32 (n, d), rows of length 1, or 0.
    """
    rows = np.nonzero(np.any(unit_vectors, axis=1))[0]  # (n, d) -> (m,)
    zero = 1 - len(rows) / len(unit_vectors) if len(unit_vectors) else 0.0
    if len(rows) < MIN_FOR_HUBS:
        return VectorFacts(zero)
    counts = count_occurrences(unit_vectors[rows])
    is_hub = counts >= HUB_FACTOR * K
    return VectorFacts(
        zero,
        hubs=float(is_hub.mean()),
        skewness=skewness(counts),
        hub_row=int(rows[counts.argmax()]) if is_hub.any() else None,
    )


def count_occurrences(unit_vectors: FloatArray, k: int = K) -> NDArray[np.int64]:
    """Return how many rows have each row among their k nearest: N_k.

    Radovanović, Nanopoulos and Ivanović 2010, "Hubs in space", section 2.1. Its mean is
    k in any space; spaces differ in its skewness.

    Args:
        unit_vectors: float32 (n, d), rows of length 1, n > k; n² scores are in memory.
        k: neighbours.

    Returns:
        int64 (n,).
    """
    scores = unit_vectors @ unit_vectors.T  # (n, d) x (d, n) -> (n, n)
    np.fill_diagonal(scores, -np.inf)  # no sentence is its own neighbour
    nearest = np.argpartition(-scores, k - 1, axis=1)[:, :k]  # (n, n) -> (n, k)
    return np.bincount(nearest.ravel(), minlength=len(scores))


def skewness(counts: NDArray[np.int64]) -> float:
    """Return the standardised third moment of N_k (Radovanović et al. 2010, eq. 1)."""
    deviations = counts - counts.mean()
    spread = float(counts.std())
    return float((deviations**3).mean()) / spread**3 if spread else 0.0


def assess_coverage(coverage: LanguageCoverage) -> tuple[CoverageRating, str]:
    """Return the verdict on the measurements, and the reasons."""
    red, amber = [], []
    for value, (first, second), words in _measures(coverage):
        if value is None:
            continue
        falls = second < first
        if value < second if falls else value > second:
            red.append(words)
        elif value < first if falls else value > first:
            amber.append(words)
    if coverage.trained is False:
        amber.append("the encoder was not trained on it")
    if coverage.n < MIN_SENTENCES:
        were = "sentence was" if coverage.n == 1 else "sentences were"
        amber.append(f"only {coverage.n} {were} measured")
    if red:
        return "red", _sentence(red)
    return ("amber", _sentence(amber)) if amber else ("green", "")


def _measures(
    coverage: LanguageCoverage,
) -> list[tuple[float | None, tuple[float, float], str]]:
    """List each measurement with its limits, and a text for values beyond."""
    per = coverage.per
    is_cut = coverage.pieces is not None
    return [
        (
            coverage.unknown,
            UNKNOWN[per] if is_cut else UNKNOWN_WORDS,
            f"{_percent(coverage.unknown)} of "
            f"{('pieces' if is_cut else 'words')} are unknown",
        ),
        (
            coverage.script,
            SCRIPT[per],
            f"only {_percent(coverage.script)} of its letters are in the vocabulary",
        ),
        (coverage.zero, ZERO, f"{_percent(coverage.zero)} of sentences have no vector"),
        (
            coverage.hubs,
            HUBS,
            f"{_percent(coverage.hubs)} of sentences are hubs",
        ),
        (
            coverage.pieces,
            PIECES[per],
            f"it needs {coverage.pieces or 0:.1f} pieces per {per}",
        ),
    ]


def _sentence(reasons: Sequence[str]) -> str:
    """Return the first two reasons as a sentence."""
    text = " and ".join(reasons[:2])
    return f"{text[0].upper()}{text[1:]}."


def _percent(share: float | None) -> str:
    share = share or 0.0
    return format_percent(share, 0 if share >= 0.1 else 1)


def _is_letter(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] in _LETTERS or category in _UNNAMED


def _is_unspaced(letters: Counter[str]) -> bool:
    """Return whether most letters are of scripts without spaces between words."""
    n_unspaced = sum(
        n
        for char, n in letters.items()
        if unicodedata.name(char, "").split(" ")[0] in _UNSPACED
    )
    return 2 * n_unspaced > letters.total()
