"""Write the model card of a trained encoder."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.engine.text.line_files import describe_texts
from app.engine.training.development import METRIC, NLI_METRIC
from app.engine.training.pair_splits import PairCounts
from app.engine.training.record import DATA_FIELDS, TrainingRecord
from app.number_format import format_percent
from app.params.training.fields import unused_fields

HIDDEN = ("task", "name", "out", "vocabulary", "checkpoint_every_s", *DATA_FIELDS)
EMPTY: tuple[object, ...] = ("", [], None)
NEURAL = {
    "bilstm": "a stack of bidirectional LSTMs reads the pieces of a text, and its "
    "states are pooled into one vector",
    "contextual": "layers of self-attention read the words of a static encoder, and "
    "their pooled states are added to its vector",
    "transformer": "layers of self-attention read the tokens of a text, and their "
    "states "
    "are pooled into one vector",
}


def write_card(
    record: TrainingRecord,
    counts: Sequence[PairCounts],
    ending: Sequence[str],
    errors: Mapping[str, float],
) -> str:
    """Write a model card: architecture, data with hashes, settings and the command.

    Args:
        counts: counts of pairs by language.
        ending: sentences about the end of training and omitted data.
        errors: measurements on held-out pairs (see `BestWeights.values`).
    """
    settings = record.settings
    hidden = unused_fields(settings).union(HIDDEN)
    rows = [(n, v) for n, v in settings.items() if n not in hidden and v not in EMPTY]
    machine = {
        **record.versions,
        "device": record.device,
        "threads": record.n_threads,
        "precision": record.precision,
    }
    sections = [
        f"# {settings['name']}",
        "A sentence encoder trained with Isogloss: "
        f"{_describe_kind(settings)}. Objectives: {', '.join(settings['objectives'])}.",
        "\n".join(f"- {sentence}" for sentence in ending),
        "## Data",
        table_text(
            ("file", "SHA-256"), [(n, f"`{h}`") for n, h in record.hashes.items()]
        ),
        _count_table(counts),
        _error_table(errors),
        _accuracy(errors),
        "## Settings",
        table_text(("setting", "value"), rows),
        "## Reproduce",
        "With the same files, versions, device, threads and precision, run:",
        f"```\n{record.command}\n```",
        table_text(("", "value"), [*machine.items()]),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _describe_kind(settings: Mapping[str, Any]) -> str:
    """Return a phrase that describes how vectors are computed."""
    if settings["architecture"] != "static":
        return NEURAL[settings["architecture"]]
    parts = ["of its subword pieces"]
    if settings["n_bigrams"]:
        parts.append("of hashed bigrams of adjacent pieces")
    if settings["n_ngrams"]:
        parts.append("of hashed character n-grams of its words")
    learned = " and ".join([", ".join(parts[:-1]), parts[-1]] if parts[1:] else parts)
    return f"the vector of a text is the sum of learned vectors {learned}"


def _count_table(counts: Sequence[PairCounts]) -> str:
    if not counts:
        return ""
    head = ("language", "pairs", "trained on", "measured on", "excluded", "repeats")
    return table_text(
        head,
        [
            (
                describe_texts(c.language),
                c.n_read,
                c.n_trained,
                c.n_development,
                c.n_left_out,
                c.n_repeats,
            )
            for c in counts
        ],
    ) + (
        "\n\nExcluded: pairs with a sentence of a development or test set. "
        "Repeats: other pairs with a held-out sentence."
    )


def _error_table(errors: Mapping[str, float]) -> str:
    if METRIC not in errors:
        return ""
    mean = [("mean", errors[METRIC])]
    languages = [
        (describe_texts(name.removeprefix(f"{METRIC}.")), error)
        for name, error in errors.items()
        if name.startswith(f"{METRIC}.")
    ]
    worst_first = sorted(languages, key=lambda item: -item[1])
    rows = [(name, format_percent(error, 1)) for name, error in worst_first + mean]
    title = "Retrieval error on held-out pairs, both directions averaged:"
    return f"{title}\n\n{table_text(('language', 'error'), rows)}"


def _accuracy(measured: Mapping[str, float]) -> str:
    if NLI_METRIC not in measured:
        return ""
    accuracy = format_percent(measured[NLI_METRIC], 1)
    return f"Accuracy of inference on held-out pairs: {accuracy}."


def table_text(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table, with line breaks and bars in cells replaced."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    return str(value).replace("\n", " ").replace("|", "\\|")
