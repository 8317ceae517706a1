"""The files of an import: how they are grouped, and their previews."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QButtonGroup, QRadioButton, QWidget

from app.params.corpora import ImportCorpus
from app.protocol.answers.corpora import ImportPreview
from app.views.corpora.import_form import ImportForm
from app.views.corpora.import_preview import are_pair
from app.views.corpora.import_sections import FORMATS_WITH_ENCODING
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.controls import describe
from app.views.widgets.number_format import format_bytes, format_count, format_estimate

MAX_GUESSED = 6  # files that may be aligned though their names do not indicate it


class FileGrouping(QWidget):
    """Asks how to group several files; hidden for one file.

    Attributes:
        as_pair, as_documents, as_separate: the buttons.
        is_guess: whether the files are aligned can be inferred only from their lines.
    """

    changed = Signal()

    def __init__(self, paths: list[Path], parent: QWidget | None = None):
        super().__init__(parent)
        self._paths = paths
        self.as_pair = QRadioButton(self.tr("Parallel text (aligned line by line)"))
        self.as_documents = QRadioButton(
            self.tr("One corpus (each file is a document)")
        )
        self.as_separate = QRadioButton(self.tr("Separate texts (a corpus each)"))
        group = QButtonGroup(self)
        layout = WrappingRow()
        self.setLayout(layout)
        for button in (self.as_pair, self.as_documents, self.as_separate):
            group.addButton(button)
            describe(button, button.text(), self.tr("How the files belong together."))
            layout.addWidget(button)
        many = len(paths) > 1
        has_folder = any(path.is_dir() for path in paths)
        is_named = many and are_pair(paths) and not has_folder
        can_guess = many and len(paths) <= MAX_GUESSED and not has_folder
        self.is_guess = can_guess and not is_named
        self.as_pair.setChecked(is_named or self.is_guess)
        self.as_separate.setChecked(not self.as_pair.isChecked())
        self.as_pair.setVisible(not has_folder)
        self.setVisible(many)
        group.buttonToggled.connect(self._on_toggled)

    @property
    def groups(self) -> list[list[Path]]:
        """The files of each import: all files in one import, or one import per text."""
        if self.as_separate.isChecked():
            return [[path] for path in self._paths]
        return [self._paths]

    @property
    def are_documents(self) -> bool:
        """Whether each file is a document of one corpus."""
        return self.as_documents.isChecked()

    def leave_out(self, path: Path) -> None:
        """Leave out a file."""
        self._paths = [one for one in self._paths if one != path]
        self.setVisible(len(self._paths) > 1)
        if len(self._paths) == 1 and self.as_pair.isChecked():
            self.as_separate.setChecked(True)

    def settle(self, *, are_aligned: bool) -> bool:
        """Replace the guess after comparing the lines; return whether it was right."""
        is_guess, self.is_guess = self.is_guess, False
        if is_guess and not are_aligned:
            self.as_separate.setChecked(True)
        return not is_guess or are_aligned

    def _on_toggled(self, _: object, is_on: bool) -> None:
        self.is_guess = False
        if is_on:
            self.changed.emit()


class ImportPart:
    """One import of the dialog: its files, its form and its preview.

    Attributes:
        asked: values of the newest preview request.
        is_read: whether the preview, or the problem, matches the form.
        submitted: params of the run.
    """

    def __init__(self, paths: list[Path], form: ImportForm):
        self.paths, self.form = paths, form
        self.preview: ImportPreview | None = None
        self.problem = ""
        self.asked: dict[str, Any] = {}
        self.is_read = False
        self.submitted: ImportCorpus | None = None

    @property
    def has_text(self) -> bool:
        """Whether the preview contains text."""
        preview = self.preview
        return preview is not None and not self.problem and preview.n_rows > 0

    @property
    def unreadable(self) -> list[Path]:
        """The unreadable file, if the problem names one."""
        named = [path for path in self.paths if path.name in self.problem]
        return named if self.is_read and len(named) == 1 else []

    @property
    def is_ready(self) -> bool:
        """Whether the import can start with the current settings."""
        languages = self.form.languages
        return self.has_text and bool(languages) and all(languages)


def describe_parts(parts: Sequence[ImportPart]) -> list[str]:
    """Return the size, encodings and number of sentences of some parts."""
    paths = [path for part in parts for path in part.paths]
    size = sum(path.stat().st_size for path in paths if path.is_file())
    previews = [part.preview for part in parts if part.has_text and part.preview]
    encodings = [
        name
        for preview in previews
        if preview.format not in FORMATS_WITH_ENCODING
        for name in preview.encoding.split(", ")
    ]
    facts = [format_bytes(size)] if size else []
    if encodings:
        facts.append(", ".join(dict.fromkeys(encodings)))
    if previews and (count := count_texts(parts)):
        facts.append(count)
    return facts


def count_texts(parts: Sequence[ImportPart]) -> str:
    """Return the numbers of sentences and pairs: "80 sentences and 40 pairs"."""
    tr = partial(QCoreApplication.translate, "import_parts")
    alone: list[ImportPreview] = []
    parallel: list[ImportPreview] = []
    for part in parts:
        if part.has_text and part.preview is not None:
            previews = parallel if len(part.form.languages) > 1 else alone
            previews.append(part.preview)
    sentences = _count_rows(alone, tr("{n} sentence"), tr("{n} sentences"))
    pairs = _count_rows(parallel, tr("{n} pair"), tr("{n} pairs"))
    if sentences and pairs:
        both = tr("{sentences} and {pairs}")
        return both.format(sentences=sentences, pairs=pairs)
    return sentences or pairs


def _count_rows(previews: Sequence[ImportPreview], one: str, many: str) -> str:
    """Return the number of rows of all previews: 40 pairs, about 102,000 pairs."""
    n = sum(preview.n_rows for preview in previews)
    number = format_count(n)
    if any(preview.is_estimate for preview in previews):
        words = QCoreApplication.translate("import_parts", "about {n}")
        number = words.format(n=format_estimate(n))
    words = one if n == 1 else many
    return words.format(n=number) if n else ""
