"""Dialog that adds a language to an encoder."""

import re
from pathlib import Path

import msgspec
from PySide6.QtWidgets import QWidget

from app.languages import language_name, parse_language
from app.params import build_params
from app.params.encoders import AlignEncoder
from app.views.client.state import AppState
from app.views.widgets.fields import make_language_input
from app.views.widgets.form import FormParts
from app.views.widgets.language_field import LanguageField
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.theme import GRID

SHOWN = ("english", "pairs", "language", "name", "architecture")
_PAIR_FILE = re.compile(r"[a-z]{2,3}-([a-z]{2,3}(?:[-_][A-Za-z0-9]+)*)\.")


class AddLanguageDialog(TaskDialog):
    """Asks for translations of English sentences and the language that they are in."""

    rare = tuple(
        info.name
        for info in msgspec.structs.fields(AlignEncoder)
        if info.name not in (*SHOWN, "out")
    )
    WIDTH = 88 * GRID

    def __init__(
        self, state: AppState, english: str, pairs: Path, parent: QWidget | None = None
    ):
        """Make the dialog.

        Args:
            state: of the window.
            english: name of the encoder to add to.
            pairs: file of translations.
            parent: the view.
        """
        language = guess_file_language(pairs)
        values = {
            "english": english,
            "pairs": pairs,
            "language": language,
            "name": propose_name(english, language),
        }
        self._proposed = values["name"]
        params: AlignEncoder = build_params(AlignEncoder, values)
        super().__init__(state, AlignEncoder, params, skip=("out",), parent=parent)
        self.setWindowTitle(self.heading())
        self.name_button(self.tr("Add language"))
        names = [(self.tr("BiLSTM"), "bilstm"), (self.tr("Mean of vectors"), "cbow")]
        self.form.set_choices("architecture", names)
        losses = [(self.tr("Match English"), "align"), (self.tr("Rank"), "rank")]
        self.form.set_choices("loss", losses)
        self.form.changed.connect(self._show_name)
        self.show_needs(
            self.tr(
                "The result is a new encoder: the selected one, unchanged, with the "
                "new language in the same vector space."
            )
        )

    def heading(self) -> str:
        """Return the heading."""
        return self.tr("Add a language")

    def form_parts(self) -> FormParts:
        """Return a field for the language."""
        self._language = LanguageField(self.tr("Language"))
        titles = {
            "english": self.tr("Encoder"),
            "pairs": self.tr("Translations"),
            "negatives": self.tr("Weight of negatives"),
            "kept_out": self.tr("Excluded files"),
            "n_pieces": self.tr("Pieces"),
            "n_ngrams": self.tr("Character n-gram rows"),
            "embed_dim": self.tr("Piece dimensions"),
            "hidden_dim": self.tr("Units"),
            "max_tokens": self.tr("Maximum tokens"),
            "n_steps": self.tr("Steps"),
            "batch_size": self.tr("Batch size (pairs)"),
            "lr": self.tr("Learning rate"),
            "checkpoint_every_s": self.tr("Checkpoint interval (s)"),
            "n_development": self.tr("Held-out pairs"),
            "evaluate_every": self.tr("Evaluation interval (steps)"),
            "nli": self.tr("NLI files in English"),
            "nli_test": self.tr("NLI test file"),
        }
        inputs = {"language": make_language_input(self._language)}
        wide = ("english", "pairs", "language", "name", "architecture")
        return FormParts(titles=titles, inputs=inputs, wide=wide)

    def _show_name(self) -> None:
        """Name the encoder after the choices, unless the user named it."""
        raw = self.form.raw()
        if raw.get("name") == self._proposed:
            code = str(raw.get("language", ""))
            self._proposed = propose_name(str(raw.get("english", "")), code)
            if raw["name"] != self._proposed:
                self.form.write({"name": self._proposed})


def guess_file_language(file: Path) -> str:
    """Return the code that a file like eng-wol.tsv.xz is named by; else empty."""
    found = _PAIR_FILE.match(file.name)
    return found[1] if found is not None else ""


def propose_name(english: str, language: str) -> str:
    """Return a name for an encoder with one more language: isogloss-2 + Wolof."""
    if not language or not parse_language(language).known:
        return english
    return f"{english} + {language_name(language)}"
