"""Task: train word vectors on a text file or on corpora of a project."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from app.arrays import BoolArray
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.registry import load_encoder
from app.engine.encoders.vector_cache import encode_cached
from app.engine.project.active_sentences import iterate_active_texts
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.store.corpora import CorpusRow
from app.engine.store.lookup import find_corpora
from app.engine.store.words.indexes import TABLES
from app.engine.text.line_files import read_lines
from app.engine.wordvectors.counting import CountVectorOptions, count_vectors
from app.engine.wordvectors.project_files import check_new_name, new_folder
from app.engine.wordvectors.table import WordVectors, save_table
from app.engine.wordvectors.training import (
    SkipGramOptions,
    TrainedVectors,
    train_vectors,
)
from app.engine.wordvectors.word_file import frequent_words, write_words
from app.engine.wordvectors.writer import check_vector_file, write_vector_file
from app.errors import UserError
from app.languages import language_name, parse_language, primary_language
from app.params.word_vectors import TrainWordVectors
from app.results.task import TaskResult

if TYPE_CHECKING:
    from app.engine.project.project import Project

SUBSAMPLE = 1e-4  # as in fastText


class TrainWordVectorsResult(TaskResult, frozen=True, kw_only=True):
    """The trained vectors.

    Attributes:
        n_words: words with a vector.
        n_tokens: words of the text.
        min_count: minimum number of occurrences of a word.
        out: the written file.
        name: name of the vectors in the project; empty if they are not saved there.
    """

    n_words: int
    n_tokens: int
    dim: int
    min_count: int
    language: str
    out: Path | None
    name: str
    seconds: float


def train_word_vectors(
    project: "Project | None", params: TrainWordVectors, report: Report
) -> TrainWordVectorsResult:
    """Train word vectors, and write them to a file or save them in the project.

    Raises:
        UserError: there is no text, or no destination for the vectors.
        ResourceError: the file is missing, or gensim is not installed.
    """
    begun = time.monotonic()
    _check(project, params)
    texts, language = _open_texts(project, params)
    trained = _train(project, texts, language, params, report)
    table = trained.table
    if params.out is not None:
        write_vector_file(params.out, table, report)
    if project is not None and params.name:
        with new_folder(project, TABLES, params.name) as folder:
            save_table(folder, table)
        report.changed("word-vectors", 0)
    n_words, n_tokens = len(table.words), trained.n_tokens
    done = "computed by the encoder for the" if table.space else "trained on"
    return TrainWordVectorsResult(
        n_words=n_words,
        n_tokens=n_tokens,
        dim=table.dim,
        min_count=trained.min_count,
        language=language,
        out=params.out,
        name=params.name,
        seconds=time.monotonic() - begun,
        message=f"{n_words:,} words have a vector of {table.dim:,} dimensions, {done} "
        f"{n_tokens:,} words of text.",
    )


def _train(
    project: "Project | None",
    texts: Iterator[str],
    language: str,
    params: TrainWordVectors,
    report: Report,
) -> TrainedVectors:
    if params.method == "encoder":
        folder = project.folder if project is not None else None
        encoder = load_encoder(params.encoder, folder, device=preferred_device())
        return _encode_words(encoder, texts, language, params.min_count, report)
    if params.method == "counts":
        counting = CountVectorOptions(
            params.dim, params.window, params.min_count, params.seed
        )
        return count_vectors(texts, language, counting, report)
    options = SkipGramOptions(
        dim=params.dim,
        epochs=params.epochs,
        window=params.window,
        n_negatives=params.negatives,
        min_count=params.min_count,
        ngrams=(params.min_n, params.max_n) if params.min_n else (1, 0),
        lr=params.lr,
        subsample=SUBSAMPLE,
        seed=params.seed,
    )
    return train_vectors(texts, language, options, report)


def _encode_words(
    encoder: Encoder,
    texts: Iterator[str],
    language: str,
    min_count: int,
    report: Report,
) -> TrainedVectors:
    """Encode each word of the texts as if it were a sentence."""
    with write_words(texts, language, min_count, report) as split:
        words = frequent_words(split, report)
        split.check_any(len(words))
    vectors = encode_cached(None, encoder, words, report, language=language)
    table = WordVectors(tuple(words), vectors, language, encoder.fingerprint)
    has_vector: BoolArray = (vectors != 0).any(axis=1)
    table = table.select(has_vector)
    split.check_any(len(table.words))
    return TrainedVectors(table, split.n_tokens, split.min_count)


def _check(project: "Project | None", params: TrainWordVectors) -> None:
    if (params.file is None) == (not params.corpora):
        raise UserError("Choose the text: either a file or corpora.")
    if params.out is None and not params.name:
        raise UserError("Choose an output file, or a name in the project.")
    if params.min_n and params.max_n < params.min_n:
        raise UserError(
            f"The longest n-gram ({params.max_n}) must not be shorter than the "
            f"shortest ({params.min_n})."
        )
    if params.out is not None:
        check_vector_file(params.out)
    if params.name:
        check_new_name(project, TABLES, params.name)


def _open_texts(
    project: "Project | None", params: TrainWordVectors
) -> tuple[Iterator[str], str]:
    """Return the texts, which are read lazily, and the code of their language."""
    language = parse_language(params.language).code if params.language else ""
    if params.file is not None:
        return read_lines(params.file), language
    if project is None:
        raise UserError("--corpus needs a project. Name it with --project.")
    corpora = find_corpora(project.store, params.corpora)
    languages = sorted({corpus.language for corpus in corpora})
    if len(languages) > 1:
        raise UserError(
            f"The corpora are in {len(languages)} languages ({', '.join(languages)}). "
            "Select corpora in one language."
        )
    if language and primary_language(language) != primary_language(languages[0]):
        raise UserError(
            f"The language is {language_name(language)}, but the corpora are in "
            f"{language_name(languages[0])}. Leave the language empty, or select other "
            "corpora."
        )
    return _corpus_texts(project, corpora), language or languages[0]


def _corpus_texts(project: "Project", corpora: list[CorpusRow]) -> Iterator[str]:
    for corpus in corpora:
        for page in iterate_active_texts(project, corpus):
            yield from (text for _, text in page)
