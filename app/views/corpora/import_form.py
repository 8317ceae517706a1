"""The settings of an import and the guesses that fill them."""

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from app.params.corpora import MAX_SIDES, name_corpora
from app.paths import strip_compression
from app.protocol.answers.corpora import ImportPreview
from app.views.corpora.import_preview import language_of_name
from app.views.corpora.import_sections import (
    DocumentSection,
    FormatSection,
    SideSection,
    add_choice,
    make_rows,
)
from app.views.widgets.fields import replace_choices, select_choice
from app.views.widgets.theme import GRID

LABEL_COLUMNS = (
    *("label", "gold_label", "labels", "class", "category", "topic", "sentiment"),
    *("polarity", "intent"),
)
SCORE_COLUMNS = ("score", "similarity")  # labels of pairs, not of single texts
PAIR_COLUMNS = (
    ("premise", "hypothesis"),
    ("sentence1", "sentence2"),
    ("sentence_1", "sentence_2"),
    ("sentence_a", "sentence_b"),
    ("text1", "text2"),
    ("text_a", "text_b"),
    ("question1", "question2"),
)


def guess_label_column(columns: Sequence[str], *, of_pairs: bool = False) -> str:
    """Return the column with a name for labels, or an empty string."""
    wanted = (*LABEL_COLUMNS, *SCORE_COLUMNS) if of_pairs else LABEL_COLUMNS
    return next(
        (c for name in wanted for c in columns if _normalize_name(c) == name), ""
    )


def guess_pair_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the two columns with names for the texts of pairs, or an empty tuple."""
    by_name = {_normalize_name(column): column for column in columns}
    for names in PAIR_COLUMNS:
        if all(name in by_name for name in names):
            return tuple(by_name[name] for name in names)
    return ()


def _normalize_name(column: str) -> str:
    return column.strip().casefold()


N_PAIR_SIDES = 2  # sides


class ImportDefaults(msgspec.Struct, frozen=True):
    """Initial settings of an import, from the previous import.

    Attributes:
        splits: whether paragraphs of plain text are split into sentences.
        pattern: pattern of the file names in a folder.
        numbers: numeric fields.
    """

    splits: bool = False
    pattern: str = ""
    numbers: tuple[str, ...] = ()


NO_DEFAULTS = ImportDefaults()


class ImportForm(QWidget):
    """Settings of an import, with only the fields that apply to the format."""

    changed = Signal()

    def __init__(
        self,
        paths: Sequence[Path],
        parent: QWidget | None = None,
        *,
        are_documents: bool = False,
    ):
        """Make a form.

        Args:
            are_documents: whether the files are the documents of one corpus.
        """
        super().__init__(parent)
        self._paths = list(paths)
        self._are_documents = are_documents
        self._shown = ImportPreview()
        self._has_guessed = False  # columns of labels and of pairs
        self._rows = make_rows(self)
        self.file = FormatSection()
        self.file.changed.connect(self.changed)
        self._rows.addRow(self.file)
        self._make_sides()
        self._make_columns()
        is_one = len(self._paths) == 1 and not self._paths[0].is_dir()
        names = [strip_compression(self._paths[0]).stem] if is_one else []
        self.documents = DocumentSection(names)
        self.documents.changed.connect(self.changed)
        self._rows.addRow(self.documents)

    def _make_sides(self) -> None:
        self.sides: list[SideSection] = []
        self._side_rows = QVBoxLayout()
        self._side_rows.setSpacing(GRID)
        self._rows.addRow(self._side_rows)
        for path in self._paths[: self._n_sides]:
            side = self._add_side()
            code = language_of_name(path)
            if code and self._n_sides > 1:
                side.set_language(code)

    def _make_columns(self) -> None:
        """Make the settings of two columns and of further columns."""
        self._meaning = self._add_choice(
            self.tr("Sides are"),
            [
                (self.tr("translations"), "translations"),
                (self.tr("a labelled pair"), "pairs"),
            ],
            self.tr(
                "Translations are linked. The two texts of a labelled pair (premise "
                "and hypothesis, or two paraphrases) are only stored row by row."
            ),
        )
        self._label = self._add_choice(
            self.tr("Label"),
            [],
            self.tr("Column with the label of the sentence or the score of the pair."),
        )
        self._languages = self._add_choice(
            self.tr("Languages"),
            [],
            self.tr("Column with the language of each sentence."),
        )

    @property
    def _n_sides(self) -> int:
        """Number of sides; the documents of one corpus are one side."""
        return 1 if self._are_documents else min(len(self._paths), MAX_SIDES)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the imported sides; empty: not known yet."""
        return tuple(side.language.code for side in self._used_sides())

    @property
    def label(self) -> str:
        """The label column, or an empty string."""
        return str(self._label.currentData() or "")

    @property
    def imported_fields(self) -> list[str]:
        """The columns imported as the document or its fields."""
        if not self._shown.has_columns:
            return []
        used = self.documents.columns
        return [column for column in self._shown.columns if column in used]

    @property
    def skipped_columns(self) -> list[str]:
        """The columns left out of the import."""
        if not self._shown.has_columns:
            return []
        sides = [side.column for side in self._shown.sides]
        used = {*sides, *self.documents.columns, self.label, self.language_column}
        return [column for column in self._shown.columns if column not in used]

    @property
    def are_pairs(self) -> bool:
        """Whether the two sides contain the texts of labelled pairs."""
        is_asked = self._shown.has_columns and len(self._used_sides()) == N_PAIR_SIDES
        return is_asked and self._meaning.currentData() == "pairs"

    @property
    def language_column(self) -> str:
        """The column of the sentences' languages, or an empty string."""
        return str(self._languages.currentData() or "")

    def values(self, *, is_final: bool) -> dict[str, Any]:
        """Return the fields of ImportCorpus that are set.

        Args:
            is_final: return all languages and names, for the import; otherwise only
                the languages that the user set, for a preview that detects the rest.
        """
        shown, sides = self._shown, self._used_sides()
        languages = [
            side.language.code if is_final else side.chosen_language for side in sides
        ]
        columns = [side.chosen_column for side in sides]
        if shown.has_columns and (is_final or any(columns)):
            found = [side.column for side in shown.sides[: len(sides)]]
            columns = [c or f for c, f in zip_longest(columns, found, fillvalue="")]
        values: dict[str, Any] = {
            "files": [str(path) for path in self._paths],
            **self.file.values,
            "label_column": self.label if shown.has_columns else "",
            "language_column": self.language_column if shown.has_columns else "",
            "sides": "pairs" if self.are_pairs else "",
            "columns": columns if shown.has_columns and all(columns) else [],
            "together": self._are_documents,
            **self.documents.values,
        }
        if not shown.declares_languages:
            if not self._declares_own_language:
                values["languages"] = languages if all(languages) else []
            values["names"] = self._names() if is_final else []
        is_default = {None, "", "auto", False}
        return {
            key: value
            for key, value in values.items()
            if (value if isinstance(value, list) else value not in is_default)
        }

    @property
    def _declares_own_language(self) -> bool:
        """Whether each TEI text declares a language and the user set no other one."""
        declared = [side.language for side in self._shown.sides]
        is_tei = self._shown.format == "tei"
        return is_tei and all(declared) and not self.sides[0].chosen_language

    def _names(self) -> list[str]:
        """Return the corpus names if the user typed one or the corpora form pairs."""
        fields = [side.name for side in self._used_sides()]
        is_typed = any(field.text().strip() for field in fields)
        if not is_typed and not self.are_pairs:
            return []
        return [field.text().strip() or field.placeholderText() for field in fields]

    def show_preview(self, preview: ImportPreview) -> None:
        """Show the detected value of each setting that the user has not changed."""
        self._shown = preview
        self.file.show_preview(preview)
        columns = [(column, column) for column in preview.columns]
        for box in (self._label, self._languages):
            replace_choices(box, [(self.tr("none"), ""), *columns])
        self._show_sides(preview)
        self._guess_columns(preview)
        self._propose_fields(preview)
        is_pair = len(self._used_sides()) == N_PAIR_SIDES
        self._rows.setRowVisible(self._meaning, is_pair)
        for box in (self._label, self._languages):
            self._rows.setRowVisible(box, preview.has_columns)

    def _propose_fields(self, preview: ImportPreview) -> None:
        """Select the likely columns of the document and its fields."""
        self.documents.show_preview(preview)
        guessed = [one for one in preview.guessed_fields if one != self.label]
        document = preview.guessed_document
        self.documents.propose(document if document != self.label else "", guessed)

    def _guess_columns(self, preview: ImportPreview) -> None:
        """Select the columns of labels, pairs and sides by their names, once."""
        if not preview.has_columns:
            return
        pair: tuple[str, ...] = ()
        if not self._has_guessed:
            self._has_guessed = True
            pair = guess_pair_columns(preview.columns) if len(self._paths) == 1 else ()
            select_choice(
                self._label, guess_label_column(preview.columns, of_pairs=bool(pair))
            )
            if pair:
                select_choice(self._meaning, "pairs")
        self._choose_sides(pair or tuple(side.column for side in preview.sides))

    def _choose_sides(self, columns: tuple[str, ...]) -> None:
        """Select the columns of several sides unless the user has selected some."""
        if len(columns) < N_PAIR_SIDES or any(
            side.chosen_column for side in self.sides
        ):
            return
        for side, column in zip(self.sides, columns, strict=False):
            select_choice(side.column, column)
        self.changed.emit()

    def _show_sides(self, preview: ImportPreview) -> None:
        wanted = max(len(preview.sides), 2 if preview.has_columns else 1)
        while len(self.sides) < min(wanted, MAX_SIDES):
            self._add_side()
        columns = preview.columns if preview.has_columns else ()
        for number, side in enumerate(self.sides):
            is_read = number < len(preview.sides)
            facts = preview.sides[number] if is_read else None
            side.setVisible(number < wanted)
            side.show_side(facts, columns, is_fixed=preview.declares_languages)
            side.name.setPlaceholderText(self._default_name(number, side))

    def _default_name(self, number: int, side: SideSection) -> str:
        """Return the name of a corpus for which the user types no name."""
        first = self._paths[0]
        if self._are_documents and len(self._paths) > 1:
            first = first.parent
        n = max(len(self._shown.sides), self._n_sides, 1)
        codes = [side.language.code for side in self.sides[:n]]
        if self.are_pairs:
            (stem,) = name_corpora([first], codes[:1])
            return f"{stem}.{side.chosen_column or number + 1}"
        paths = self._paths[:n] if self._n_sides > 1 else [first] * n
        names = name_corpora(paths, codes)
        return names[number] if number < n else side.language.code

    def _used_sides(self) -> list[SideSection]:
        """Return the imported sides; in a table, only sides with a column."""
        if not self._shown.has_columns:
            return self.sides[: max(len(self._shown.sides), self._n_sides)]
        return [s for n, s in enumerate(self.sides) if n == 0 or s.chosen_column]

    def use_defaults(self, defaults: ImportDefaults) -> None:
        """Set the initial values."""
        self.file.splits.setChecked(defaults.splits)
        if self._are_documents:
            self.documents.use_defaults(defaults.pattern, defaults.numbers)

    def next_defaults(self, defaults: ImportDefaults) -> ImportDefaults:
        """Return the initial values of the next import, based on this one."""
        if self._shown.format == "text" and not self._shown.is_hard_wrapped:
            defaults = replace(defaults, splits=self.file.splits.isChecked())
        if self._are_documents:
            values = self.documents.values
            pattern, numbers = values["fields_pattern"], values["number_fields"]
            defaults = replace(defaults, pattern=pattern, numbers=tuple(numbers))
        return defaults

    def _add_side(self) -> SideSection:
        side = SideSection(len(self.sides))
        side.changed.connect(self.changed)
        side.language_changed.connect(self.changed)
        self._side_rows.addWidget(side)
        self.sides.append(side)
        return side

    def _add_choice(
        self, title: str, choices: list[tuple[str, str]], hint: str
    ) -> QComboBox:
        box = add_choice(self._rows, title, choices, hint)
        box.currentIndexChanged.connect(self.changed)
        return box
