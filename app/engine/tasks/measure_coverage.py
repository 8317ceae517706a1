"""Task: measure how well an encoder covers each language."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from app.arrays import FloatArray
from app.engine.encoders.configs import TransformerConfig
from app.engine.encoders.coverage import (
    LanguageTexts,
    assess_coverage,
    measure_pieces,
    measure_vectors,
    measure_words,
    sample_corpora,
    sample_file,
)
from app.engine.encoders.folder import read_config
from app.engine.encoders.registry import find_encoder, load_encoder
from app.engine.encoders.speed import measure_speed
from app.engine.numeric import normalise_rows
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.store.corpora import corpus_of, list_texts, position_of
from app.engine.store.embeddings import list_embeddings, map_embedding
from app.engine.store.lookup import find_corpora
from app.engine.text.word_vocabulary import PieceCounter
from app.errors import UserError
from app.languages import is_trained_on, language_name
from app.params.encoders import MeasureCoverage
from app.results.coverage import COVERAGE_RATINGS, CoverageResult, LanguageCoverage

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.project.project import Project

Step = Callable[[int], None]

STAGE = "Measuring coverage"
BLOCK_S = 0.25  # time of a block, so that a cancellation takes effect soon
FIRST_BLOCK = 16  # sentences
MAX_RECORD = 56_000  # bytes of the languages' JSON, since a result is one line
DIGITS = 4


def measure_coverage(
    project: "Project | None", params: MeasureCoverage, report: Report
) -> CoverageResult:
    """Measure unknown pieces, letters, hubs and zero vectors of each language.

    Raises:
        UserError: no sentences, an unknown corpus or encoder, or an invalid file.
    """
    samples = _collect(project, params)
    n_texts = sum(len(sample.texts) for sample in samples.values())
    report.step(STAGE, 0, n_texts)
    device = preferred_device()
    folder = project.folder if project else None
    encoder = load_encoder(params.encoder, folder, device=device)
    config = read_config(find_encoder(params.encoder, folder))
    has_words = isinstance(config, TransformerConfig) and config.units == "words"
    vectors = _Vectors(project, encoder, has_words=has_words)
    done, languages = 0, []
    for language, sample in samples.items():
        step = partial(_step, report, language_name(language), done, n_texts)
        step(0)
        trained = is_trained_on(language, config.languages)
        unit_vectors = vectors.of(sample, step)
        languages.append(_measure(vectors, language, sample, unit_vectors, trained))
        done += len(sample.texts)
    rate = _measure_rate(encoder, report)
    report.step(STAGE, n_texts, n_texts)
    return _result(encoder, languages, rate, device)


def _collect(
    project: "Project | None", params: MeasureCoverage
) -> dict[str, LanguageTexts]:
    """Gather the texts of each language."""
    samples: dict[str, LanguageTexts] = {}
    if project is not None and (params.corpora or not params.texts):
        named = find_corpora(project.store, params.corpora)
        samples = sample_corpora(project, named or list_texts(project.store))
    elif params.corpora:
        raise UserError("Corpora need a project. Open one, or choose text files.")
    for file in params.texts:
        language, sample = sample_file(file)
        known = samples.get(language, LanguageTexts([], []))
        samples[language] = LanguageTexts(
            known.texts + sample.texts, known.ids + sample.ids
        )
    if not samples:
        raise UserError(
            "There is nothing to measure on. Import a corpus, or choose text files."
        )
    return samples


class _Vectors:
    """Returns unit vectors of sentences, from the project or by encoding.

    Attributes:
        encoder: encodes the sentences.
        has_words: its vocabulary consists of complete words.
    """

    def __init__(
        self, project: "Project | None", encoder: "Encoder", *, has_words: bool
    ):
        self.encoder, self.has_words = encoder, has_words
        self._stored: dict[int, FloatArray] = {}
        if project is not None:
            made = list_embeddings(project.store, fingerprint=encoder.fingerprint)
            self._stored = {
                row.corpus_id: map_embedding(project.folder, row)[0]
                for row in made
                if row.n_done == row.n_rows
            }

    def of(self, sample: LanguageTexts, step: Step) -> FloatArray:
        """Return float32 (n, d), rows of length 1 or 0; `step` reports progress."""
        unit_vectors = np.zeros((len(sample.texts), self.encoder.dim), np.float32)
        rest = []
        for row, id_ in enumerate(sample.ids):
            stored = self._stored.get(corpus_of(id_))
            if id_ and stored is not None:
                unit_vectors[row] = stored[position_of(id_)]
            else:
                rest.append(row)
        if rest:
            encoded = self._encode([sample.texts[row] for row in rest], step)
            unit_vectors[rest] = normalise_rows(encoded)[0]
        return unit_vectors

    def _encode(self, texts: Sequence[str], step: Step) -> FloatArray:
        """Encode in blocks, so that a cancellation takes effect between them."""
        blocks, start, size = [], 0, FIRST_BLOCK
        while start < len(texts):
            step(start)
            begun = time.perf_counter()
            blocks.append(self.encoder.encode(texts[start : start + size]))
            start += size
            if time.perf_counter() - begun < BLOCK_S / 2:
                size *= 2
        return np.concatenate(blocks)


def _measure(
    vectors: _Vectors,
    language: str,
    sample: LanguageTexts,
    unit_vectors: FloatArray,
    trained: bool | None,
) -> LanguageCoverage:
    """Measure one language and assign its verdict."""
    of_vectors = measure_vectors(unit_vectors)
    hub_row = of_vectors.hub_row
    measured = LanguageCoverage(
        language=language,
        verdict="green",
        n=len(sample.texts),
        trained=trained,
        zero=round(of_vectors.zero, DIGITS),
        hubs=_rounded(of_vectors.hubs),
        skewness=_rounded(of_vectors.skewness),
        hub=(sample.ids[hub_row] or None) if hub_row is not None else None,
    )
    encoder = vectors.encoder
    if isinstance(encoder, PieceCounter):
        measure = measure_words if vectors.has_words else measure_pieces
        facts = measure(encoder, sample.texts)
        measured = msgspec.structs.replace(
            measured,
            unknown=_rounded(facts.unknown),
            pieces=_rounded(facts.pieces),
            per=facts.per,
            script=_rounded(facts.script),
        )
    verdict, why = assess_coverage(measured)
    return msgspec.structs.replace(measured, verdict=verdict, why=why)


def _measure_rate(encoder: "Encoder", report: Report) -> float:
    """Return sentences per second; 0: the encoder has only imported vectors."""
    try:
        return measure_speed(encoder, report)
    except UserError:
        return 0.0


def _result(
    encoder: "Encoder",
    languages: list[LanguageCoverage],
    rate: float,
    device: str,
) -> CoverageResult:
    """Return the worst languages first, as many as fit in a result."""
    languages.sort(key=_sort_key)
    kept, n_bytes = 0, 0
    for one in languages:
        n_bytes += len(msgspec.json.encode(one)) + 1
        kept += n_bytes <= MAX_RECORD
    return CoverageResult(
        encoder=encoder.name,
        fingerprint=encoder.fingerprint,
        has_pieces=isinstance(encoder, PieceCounter),
        sentences_per_s=float(f"{rate:.3g}"),
        device=device,
        message=_message(encoder.name, languages),
        n_left_out=len(languages) - kept,
        languages=tuple(languages[:kept]),
    )


def _sort_key(one: LanguageCoverage) -> tuple[int, float, float, str]:
    """Order languages by worst verdict, most unknown pieces, most hubs."""
    return (
        COVERAGE_RATINGS.index(one.verdict),
        -(one.unknown or 0.0),
        -(one.hubs or 0.0),
        one.language,
    )


def _message(encoder: str, languages: Sequence[LanguageCoverage]) -> str:
    """Return a sentence with the number of languages per verdict."""
    counts = Counter(one.verdict for one in languages)
    parts = [f"{counts[verdict]} {verdict}" for verdict in reversed(COVERAGE_RATINGS)]
    n = len(languages)
    words = "1 language was" if n == 1 else f"{n} languages were"
    return f"{words} measured with {encoder}: {', '.join(parts)}."


def _step(report: Report, language: str, before: int, n_texts: int, done: int) -> None:
    report.step(STAGE, before + done, n_texts, language)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
