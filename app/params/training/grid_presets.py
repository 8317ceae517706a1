"""Presets of grids: the ablations of published systems, at the size of a laptop."""

from typing import Any, NamedTuple

from app.params.training.presets import PRESETS


class GridPreset(NamedTuple):
    """A named grid.

    Attributes:
        title: title in the window.
        summary: a sentence on the comparison.
        values: fields of TrainGrid that differ from their defaults.
    """

    title: str
    summary: str
    values: dict[str, Any]


# The published sizes are too large for a laptop: the presets keep architecture and
# objectives, and reduce dimensions, vocabulary, batches and steps.
_LASER: dict[str, Any] = {
    **PRESETS["laser"].values,
    "n_pieces": 8_000,
    "embed_dim": 128,
    "dim": 256,
    "decoder_dim": 256,
    "n_steps": 4_000,
    "batch_size": 64,
    "batch_tokens": 4_000,
    "n_accumulated": 1,
    "lr": 0.002,
    "n_development": 200,
    "evaluate_every": 500,
}
_DUAL_ENCODER: dict[str, Any] = {
    **PRESETS["dual-encoder"].values,
    "n_pieces": 8_000,
    "n_ngrams": 16_384,
    "embed_dim": 128,
    "dim": 128,
    "n_heads": 4,
    "filter_dim": 512,
    "n_hard_negatives": 0,
    "optimiser": "adam",  # SGD at 0.008 needs millions of steps
    "lr": 0.001,
    "n_steps": 4_000,
    "batch_size": 64,
    "n_development": 200,
    "evaluate_every": 500,
}

# Languages of LASER's evaluations besides English: XNLI's, plus those of MLDoc (ita,
# jpn) and WMT (ces); 18 languages with English.
EVALUATED_LANGUAGES = (
    *("fra", "spa", "deu", "ell", "bul", "rus", "tur", "ara", "vie", "tha", "cmn"),
    *("hin", "swh", "urd", "ita", "jpn", "ces"),
)

GRID_PRESETS: dict[str, GridPreset] = {
    "laser-depth": GridPreset(
        "LASER: depth",
        "Encoders of 1, 3 and 5 layers (Artetxe and Schwenk 2019, table 6).",
        {**_LASER, "vary": ("n_layers=1|3|5",)},
    ),
    "laser-nli": GridPreset(
        "LASER: weight of NLI",
        "Translation without NLI, and with one to three times as many steps of NLI "
        "(Artetxe and Schwenk 2019, table 7).",
        {
            **_LASER,
            "vary": (
                "objectives=translation|translation,nli|translation,nli:2"
                "|translation,nli:3",
            ),
        },
    ),
    "laser-languages": GridPreset(
        "LASER: languages",
        "All languages of the pairs, and only the 18 of the evaluations (Artetxe and "
        "Schwenk 2019, table 8).",
        {**_LASER, "vary": ("languages=|" + ",".join(EVALUATED_LANGUAGES),)},
    ),
    "dual-encoder-tasks": GridPreset(
        "Dual encoder: tasks",
        "All tasks, without NLI, without quick thought, with monolingual tasks in "
        "English only, and translation ranking only (Chidambaram et al. 2019, table "
        "1).",
        {
            **_DUAL_ENCODER,
            "vary": (
                "objectives&native_languages=conversation,quick-thought,nli,ranking&"
                "|conversation,quick-thought,ranking&"
                "|conversation,nli,ranking&"
                "|conversation,quick-thought,nli,ranking&eng"
                "|ranking&",
            ),
        },
    ),
}
