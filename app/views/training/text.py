"""Text for training params, metrics and settings."""

import re
from collections.abc import Sequence
from functools import cache, partial
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication

from app.languages import language_name
from app.params.grid_cells import fields_of_line, setting_title
from app.params.training.encoder import TrainEncoder
from app.params.training.fields import NEEDED_FILES, TITLES, split_objectives
from app.params.training.fine_tuning import FineTuneEncoder
from app.params.training.grid import TrainGrid
from app.params.translation import TrainTranslation
from app.views.widgets.number_format import (
    format_count,
    format_error_rate,
    pluralize,
)

_tr = partial(QCoreApplication.translate, "training")

DEV_ACCURACY = "dev.accuracy"  # inference on development pairs
DEV_ERROR = "dev.error"  # mean; per language: dev.error.<language>
DEV_OTHERS = "dev.others"  # mean of languages not trained on
DOT = " · "
_TWO_LANGUAGES = re.compile("([a-z]{2,3})-([a-z]{2,3})")

Measure = Literal["error", "cross-entropy", "bleu"]


def architecture_name(params: TrainEncoder) -> str:
    """Return the display name of an architecture."""
    names = {
        "static": _tr("Static"),
        "bilstm": "BiLSTM",
        "contextual": _tr("Contextual"),
    }
    return names.get(params.architecture, _tr("Transformer"))


def describe_encoder(params: TrainEncoder) -> str:
    """Summarise the encoder: Transformer · 2 layers · 256 dimensions."""
    if isinstance(params, FineTuneEncoder):  # sizes are those of the initial encoder
        return _tr("Fine-tuned from {name}").format(
            name=params.initial or _tr("the encoder in use")
        )
    varied = _varied_settings(params)
    parts = [] if "architecture" in varied else [architecture_name(params)]
    if params.architecture != "static" and "n_layers" not in varied:
        parts.append(pluralize(params.n_layers, _tr("1 layer"), _tr("{n} layers")))
    if "dim" not in varied:
        parts.append(_tr("{n} dimensions").format(n=format_count(params.dim)))
    if {"vocabulary", "n_pieces", "units"} & set(varied):
        pass
    elif params.vocabulary:
        parts.append(params.vocabulary.name)
    else:
        is_words = params.architecture == "transformer" and params.units == "words"
        words = _tr("{n} words") if is_words else _tr("{n} pieces")
        parts.append(words.format(n=format_count(params.n_pieces)))
    if varied:
        titles = ", ".join(map(setting_title, varied))
        parts.append(_tr("varied: {settings}").format(settings=titles))
    return DOT.join(parts)


def _varied_settings(params: TrainEncoder) -> list[str]:
    """Return the settings that differ between the trainings of a grid."""
    lines = params.vary if isinstance(params, TrainGrid) else ()
    return [name for line in lines for name in fields_of_line(line)]


def name_objectives(texts: Sequence[str]) -> str:
    """Name objectives by title: Translation + Inference (NLI) × 2."""
    titles = {name: title for name, (title, _) in objective_texts().items()}
    return " + ".join(
        titles.get(name, name) + ("" if weight == 1 else f" × {weight:g}")
        for name, weight in split_objectives(texts)
    )


@cache
def objective_texts() -> dict[str, tuple[str, str]]:
    """Return the title and description of each objective."""
    return {
        "ranking": (
            _tr("Translation ranking"),
            _tr("Retrieve the translation from the batch."),
        ),
        "translation": (
            _tr("Translation"),
            _tr("Generate the translation from the vector (LASER)."),
        ),
        "nli": (
            _tr("Inference (NLI)"),
            _tr("Classify entailment, contradiction or neither."),
        ),
        "contradiction": (
            _tr("Contradiction"),
            _tr(
                "Prefer the translation to English with a number, name or negation "
                "changed."
            ),
        ),
        "quick-thought": (
            _tr("Quick thought"),
            _tr("Retrieve the previous and next sentences."),
        ),
        "conversation": (
            _tr("Conversation"),
            _tr("Retrieve the response."),
        ),
        "distillation": (
            _tr("Distillation"),
            _tr("Match both sides to another encoder's vector of the English side."),
        ),
    }


def describe_translation(params: TrainTranslation) -> str:
    """Summarise a translation model: Translation model · 10 heads · 256 dimensions."""
    kinds = {
        "bridge": pluralize(params.n_heads, _tr("1 head"), _tr("{n} heads")),
        "attention": _tr("no bridge"),
        "shared": _tr("shared encoder and decoder"),
    }
    dim = _tr("{n} dimensions").format(n=format_count(params.dim))
    return DOT.join([_tr("Translation model"), kinds[params.system], dim])


def measure_of(model: TrainTranslation | None) -> Measure:
    """Return the measure on the development pairs of a training.

    Args:
        model: settings of a translation model; None for an encoder.
    """
    if model is None:
        return "error"
    return "bleu" if model.select_by == "bleu" else "cross-entropy"


def measured_values(
    measure: Measure, errors: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Convert errors 0…1 to the displayed values.

    The error of a translation model is 1 − exp(−cross-entropy per piece), or
    1 − BLEU / 100.
    """
    match measure:
        case "cross-entropy":
            return -np.log(np.maximum(1 - errors, 1e-9))
        case "bleu":
            return 100 * (1 - errors)
        case _:
            return 100 * errors


def format_measured(measure: Measure, error: float) -> str:
    """Format an error 0…1 for display: 2.2 %, or 2.31 for cross-entropy."""
    if measure == "error":
        return format_error_rate(error)
    value = measured_values(measure, np.array([error]))[0]
    return f"{value:.1f}" if measure == "bleu" else f"{value:.3f}"


def measure_title(measure: Measure) -> str:
    """Return the title of a measure on the development pairs."""
    return {
        "error": _tr("Retrieval error"),
        "cross-entropy": _tr("Cross-entropy"),
        "bleu": "BLEU",
    }[measure]


def describe_steps(params: TrainEncoder) -> str:
    """Summarise the steps: 1,000 steps, 1,024 pairs a step, learning rate 0.01.

    Settings that a grid varies are omitted.
    """
    varied = set(_varied_settings(params))
    n_pairs = params.batch_size * params.n_accumulated
    parts = []
    if "n_steps" not in varied:
        parts.append(pluralize(params.n_steps, _tr("1 step"), _tr("{n} steps")))
    if not varied & {"batch_size", "n_accumulated"}:
        one, many = _tr("1 pair a step"), _tr("{n} pairs a step")
        parts.append(pluralize(n_pairs, one, many))
    if "lr" not in varied:
        parts.append(_tr("learning rate {lr}").format(lr=f"{params.lr:g}"))
    return ", ".join(parts)


def describe_development(params: TrainEncoder) -> str:
    """Summarise the measurements: 200 pairs of each language, every 100 steps."""
    parts = []
    n_out = len(params.kept_out) + len(params.kept_out_corpora)
    if n_out:
        parts.append(
            pluralize(n_out, _tr("1 text excluded"), _tr("{n} texts excluded"))
        )
    if not params.n_development:
        words = _tr("no development pairs, so nothing is measured")
        return DOT.join([*parts, words])
    n, every = params.n_development, params.evaluate_every
    one, many = _tr("1 pair of each language"), _tr("{n} pairs of each language")
    pairs = pluralize(n, one, many)
    steps = pluralize(every, _tr("every step"), _tr("every {n} steps"))
    parts.append(_tr("{pairs}, {steps}").format(pairs=pairs, steps=steps))
    if params.patience:
        parts.append(_tr("early stopping"))
    return DOT.join(parts)


def describe_data(params: TrainEncoder, corpora: dict[str, str]) -> str:
    """Summarise the data: English, German · 1 file.

    Args:
        corpora: names of corpora by id or name.
    """
    parts = []
    if params.corpora:
        names = [corpora.get(key, key) for key in params.corpora]
        more = _tr("{n} more").format(n=len(names) - 3) if len(names) > 3 else ""
        parts.append(", ".join([*names[:3], *([more] if more else [])]))
    if n_sets := len(params.pair_sets):
        parts.append(pluralize(n_sets, _tr("1 pair set"), _tr("{n} pair sets")))
    files = (
        params.pairs,
        params.word_lists,
        *(getattr(params, field) for field in NEEDED_FILES.values()),
    )
    if n_files := sum(map(len, files)):
        parts.append(pluralize(n_files, _tr("1 file"), _tr("{n} files")))
    return DOT.join(parts) or _tr("nothing selected")


def metric_title(name: str) -> str:
    """Return the title of a curve: dev.error.deu is German.

    The loss of an objective in a language, loss.conversation.en, is conversation,
    English.
    """
    titles = {
        "loss": _tr("loss"),
        "error": _tr("batch error"),
        "lr": _tr("learning rate"),
        "sentences_per_s": _tr("sentences/s"),
        "tokens_per_s": _tr("tokens/s"),
        DEV_ERROR: _tr("mean"),
        DEV_OTHERS: _tr("mean of the sample sentences"),
        DEV_ACCURACY: _tr("development pairs"),
        "accuracy": _tr("training batches"),
        "accuracy.nli": _tr("training batches"),
    }
    if name in titles:
        return titles[name]
    if name.startswith(f"{DEV_ERROR}."):
        return language_name(name.removeprefix(f"{DEV_ERROR}."))
    task = name.removeprefix("loss.").removeprefix("error.")
    objective, _, language = task.partition(".")
    title = name_objectives([objective])
    title = f"{title[:1].lower()}{title[1:]}"
    return ", ".join([title, *([name_direction(language)] if language else [])])


def name_direction(code: str, sign: str = "–") -> str:
    """Return the name of one or two languages: English, English – German."""
    found = _TWO_LANGUAGES.fullmatch(code)
    parts = found.groups() if found is not None else (code,)
    return f" {sign} ".join(map(language_name, parts))


def corpus_pair(language: str) -> tuple[str, str] | None:
    """Parse the ids of two linked corpora in ar-en.1-4; None for a language."""
    found = re.fullmatch(r".*\b(\d+)-(\d+)", language)
    return (found[1], found[2]) if found is not None else None


def field_title(name: str) -> str:
    """Return the title of a field in forms and records."""
    return TITLES.get(name) or name.removeprefix("n_").replace("_", " ").capitalize()


def differing_fields(one: TrainEncoder, other: TrainEncoder) -> list[str]:
    """Return the settings that differ between two trainings, except name and folder."""
    return [
        info.name
        for info in msgspec.structs.fields(TrainEncoder)
        if info.name not in ("name", "out")
        and getattr(one, info.name) != getattr(other, info.name)
    ]
