"""Task: measure BLEU and chrF of a translation model in every direction."""

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from app.engine.evaluation.recording import DIGITS, record_measurements
from app.engine.evaluation.training_texts import find_trained_texts
from app.engine.runtime.report import Report
from app.engine.translation.data import LanguageTable, match_language, read_table
from app.errors import UserError
from app.languages import language_name, parse_language
from app.params.translation import EvaluateTranslation
from app.results.measurements import Translated

if TYPE_CHECKING:
    from app.engine.encoders.bridge.encoder import BridgeEncoder
    from app.engine.project.project import Project

N_WORST = 10  # sentences per direction
N_COMPARED = 1_000  # rows whose bridge matrices are compared
STAGE = "Translating"


class DirectionScore(msgspec.Struct, frozen=True):
    """Corpus scores of one direction, 0…100.

    Attributes:
        n: sentences.
        zero_shot: the direction was not trained.
    """

    source: str
    target: str
    bleu: float
    chrf: float
    n: int
    zero_shot: bool


class LengthBin(msgspec.Struct, frozen=True):
    """BLEU of source sentences in a range of word counts; `longest` 0: no limit."""

    shortest: int
    longest: int
    n: int
    bleu: float


class WorstSentence(msgspec.Struct, frozen=True):
    """A sentence with a low BLEU.

    Attributes:
        row: row of the table, from 1.
        bleu: BLEU of this sentence.
    """

    row: int
    bleu: float
    source: str
    translation: str
    reference: str


class DirectionDetails(msgspec.Struct, frozen=True):
    """Details of one direction.

    Attributes:
        copy_bleu: BLEU of the untranslated source sentences.
        bleu_low, bleu_high, chrf_low, chrf_high: 95 % bootstrap intervals over
            sentences.
        bleu_signature, chrf_signature: sacreBLEU's signatures.
        by_length: BLEU by the number of words in the source sentence.
        worst: sentences with the lowest BLEU.
    """

    source: str
    target: str
    copy_bleu: float
    bleu_low: float
    bleu_high: float
    chrf_low: float
    chrf_high: float
    bleu_signature: str
    chrf_signature: str
    by_length: list[LengthBin]
    worst: list[WorstSentence]


class LanguageHeads(msgspec.Struct, frozen=True):
    """Entropy of the bridge's heads on the sentences of a language, in nats.

    Attributes:
        entropy: mean over all heads; by_head: entropy of each head.
        entropy_first: mean over the heads 1…n of a sentence of n pieces.
        entropy_rest: mean over the remaining heads; None if no sentence has fewer
            pieces than heads.
    """

    language: str
    entropy: float
    entropy_first: float
    entropy_rest: float | None
    by_head: list[float]


class MatrixSimilarity(msgspec.Struct, frozen=True):
    """Mean cosine of bridge matrices of two languages.

    Attributes:
        translations: mean over sentences that are translations.
        others: mean over sentences that are not translations.
    """

    first: str
    second: str
    translations: float
    others: float


class EvaluateTranslationResult(msgspec.Struct, frozen=True):
    """The scores of all directions.

    Attributes:
        directions: scores; details: details of each direction, in the same order.
        heads, similarities: measures of the bridge, for a model with a bridge.
        notes: sentences on omitted rows and columns.
    """

    model: str
    directions: list[DirectionScore]
    details: list[DirectionDetails]
    heads: list[LanguageHeads]
    similarities: list[MatrixSimilarity]
    notes: list[str]


def evaluate_translation(
    project: "Project | None", params: EvaluateTranslation, report: Report
) -> EvaluateTranslationResult:
    """Translate every column of a table into every other, and score the result.

    Raises:
        UserError: unknown model, or the table has fewer than two of the model's
            languages.
    """
    from app.engine.translation.models import is_trained, open_model

    model = open_model(params.model, project.folder if project else None)
    table = read_table(params.table, report)
    config = model.model.config
    names = _match_columns(model, table, params)
    scores, details, notes = [], [], []
    pairs = [(s, t) for s in names for t in names if s != t]
    for source, target in pairs:
        rows = _rows(table, names[source], names[target], params.n_sentences)
        reason = "" if rows else "no row has both languages"
        if not (is_trained(config, source, 0) and is_trained(config, target, 1)):
            reason = "the model was trained on no direction with this source or target"
        if reason:
            notes.append(f"{_name(source, target)} was skipped: {reason}.")
            continue
        texts = [
            [table.columns[code][row] for row in rows]
            for code in (names[source], names[target])
        ]
        score, detail = _measure(
            model, _Sample(source, target, rows, *texts), params, report
        )
        scores.append(score)
        details.append(detail)
    if not scores:
        raise UserError(f"Nothing can be measured. {' '.join(notes)}")
    trained = find_trained_texts(project, params.model, files=[params.table])
    notes = [*trained.notes, *notes]
    measured = [
        _measured(model.name, *one, trained.row_note())
        for one in zip(scores, details, strict=True)
    ]
    record_measurements(project, measured, report)
    notes += _describe_worst(details)
    heads, similarities = _analyse(model, table, names, params, report)
    return EvaluateTranslationResult(
        model.name, scores, details, heads, similarities, notes
    )


def _analyse(
    model: "BridgeEncoder",
    table: LanguageTable,
    names: dict[str, str],
    params: EvaluateTranslation,
    report: Report,
) -> tuple[list[LanguageHeads], list[MatrixSimilarity]]:
    """Measure the heads' entropy and the similarity of languages in the bridge."""
    from app.engine.translation.analysis import measure_heads, measure_similarity
    from app.engine.translation.models import is_trained

    config = model.model.config
    if config.system != "bridge":
        return [], []
    readable = [code for code in names if is_trained(config, code, 0)]
    heads, similarities = [], []
    for code in readable:
        texts = [text for text in table.columns[names[code]] if text]
        found = measure_heads(model, code, texts[: params.n_sentences or None], report)
        rest = None if math.isnan(found.rest) else found.rest
        heads.append(LanguageHeads(code, found.mean, found.first, rest, found.by_head))
    for first, second in itertools.combinations(readable, 2):
        rows = _rows(table, names[first], names[second], N_COMPARED)
        if len(rows) > 1:
            sides = [
                model.matrices([table.columns[names[code]][row] for row in rows], code)
                for code in (first, second)
            ]
            similarities.append(
                MatrixSimilarity(first, second, *measure_similarity(*sides))
            )
    return heads, similarities


def _measured(
    model: str, score: DirectionScore, detail: DirectionDetails, note: str
) -> Translated:
    """Return the measurement of a direction, as stored in the project."""
    by_length = {
        f"{one.shortest}–{one.longest}" if one.longest else f"≥ {one.shortest}": (
            round(one.bleu / 100, DIGITS)
        )
        for one in detail.by_length
    }
    return Translated(
        encoder=model,
        source=score.source,
        target=score.target,
        direction="zero-shot" if score.zero_shot else "trained",
        n=score.n,
        bleu=round(score.bleu / 100, DIGITS),
        bleu_interval=(
            round(detail.bleu_low / 100, DIGITS),
            round(detail.bleu_high / 100, DIGITS),
        ),
        chrf=round(score.chrf / 100, DIGITS),
        chrf_interval=(
            round(detail.chrf_low / 100, DIGITS),
            round(detail.chrf_high / 100, DIGITS),
        ),
        by_length=by_length,
        note=note,
    )


def _describe_worst(details: list[DirectionDetails]) -> list[str]:
    """Describe the sentence with the lowest BLEU of each direction."""
    return [
        f"{_name(one.source, one.target)}: row {one.worst[0].row:,} has the lowest "
        f"BLEU. Source: “{one.worst[0].source}” "
        f"Translation: “{one.worst[0].translation}” "
        f"Reference: “{one.worst[0].reference}”"
        for one in details
    ]


def _name(source: str, target: str) -> str:
    """Return the name of a direction: English → German."""
    return f"{language_name(source)} → {language_name(target)}"


def _match_columns(
    model: "BridgeEncoder", table: LanguageTable, params: EvaluateTranslation
) -> dict[str, str]:
    """Return the column of each of the model's languages, by the model's code."""
    columns = {parse_language(code).code: code for code in table.codes}
    languages = model.model.config.languages
    if params.languages:
        chosen = [match_language(x, languages, model.name) for x in params.languages]
        for code in chosen:
            match_language(code, table.codes, str(params.table))
        languages = tuple(dict.fromkeys(chosen))
    found = {
        code: columns[parse_language(code).code]
        for code in languages
        if parse_language(code).code in columns
    }
    if len(found) < 2:
        raise UserError(
            f"{params.table} has {len(found)} of the model's languages "
            f"({', '.join(map(language_name, model.model.config.languages))}). It "
            "needs at least two."
        )
    return found


def _rows(table: LanguageTable, source: str, target: str, most: int) -> list[int]:
    """Return the rows with texts in both languages."""
    rows = [
        row
        for row in range(table.n_rows)
        if table.columns[source][row] and table.columns[target][row]
    ]
    return rows[:most] if most else rows


class _Sample(NamedTuple):
    """The sentences of one direction.

    Attributes:
        rows: rows of the table, from 0.
    """

    source: str
    target: str
    rows: list[int]
    sources: list[str]
    references: list[str]


def _measure(
    model: "BridgeEncoder", sample: _Sample, params: EvaluateTranslation, report: Report
) -> tuple[DirectionScore, DirectionDetails]:
    """Translate and score one direction."""
    from app.engine.translation import scores
    from app.engine.translation.decoding import SearchSettings
    from app.engine.translation.models import make_translator

    source, target, rows, sources, references = sample
    config = model.model.config
    settings = SearchSettings(params.beam_size, params.length_penalty)
    translations = make_translator(model).translate(
        sources, source, target, settings, report
    )
    is_lowercase = config.is_lowercase
    bleu = scores.score_bleu(
        translations, references, target, is_lowercase=is_lowercase, seed=params.seed
    )
    chrf = scores.score_chrf(translations, references, is_lowercase=is_lowercase)
    by_sentence = scores.sentence_bleu(
        translations, references, target, is_lowercase=is_lowercase
    )
    worst = sorted(range(len(rows)), key=lambda i: (by_sentence[i], i))[:N_WORST]
    lengths = scores.bleu_by_length(
        sources, translations, references, target, is_lowercase=is_lowercase
    )
    score = DirectionScore(
        source,
        target,
        bleu.value,
        chrf.value,
        len(rows),
        (source, target) not in config.directions,
    )
    detail = DirectionDetails(
        source=source,
        target=target,
        copy_bleu=scores.corpus_bleu(
            sources, references, target, is_lowercase=is_lowercase
        ),
        bleu_low=bleu.low,
        bleu_high=bleu.high,
        chrf_low=chrf.low,
        chrf_high=chrf.high,
        bleu_signature=bleu.signature,
        chrf_signature=chrf.signature,
        by_length=[LengthBin(*one) for one in lengths],
        worst=[
            WorstSentence(
                rows[i] + 1,
                by_sentence[i],
                sources[i],
                translations[i],
                references[i],
            )
            for i in worst
        ],
    )
    return score, detail
