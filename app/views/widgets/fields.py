"""Input fields for the types of params: numbers, choices, lists, files."""

import re
import types
import typing
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

import msgspec
from PySide6.QtCore import (
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
    QSignalBlocker,
    Qt,
)
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from app.views.widgets.boxes import make_row
from app.views.widgets.chips import SUBCORPUS_SIGN
from app.views.widgets.choice_titles import choice_title
from app.views.widgets.controls import describe, indent_number, make_button
from app.views.widgets.dialogs import ask_path, package_folder
from app.views.widgets.file_list import FileList
from app.views.widgets.float_box import FloatBox
from app.views.widgets.language_field import LanguageField, LanguageList
from app.views.widgets.list_inputs import NumberList, TextList

_tr = partial(QCoreApplication.translate, "fields")


class ChoiceModel(QStandardItemModel):
    """A list of choices that finds a sub-corpus by its name, without its prefix."""

    def __init__(self, box: QComboBox):
        super().__init__(0, 1, box)

    def match(
        self,
        start: QModelIndex | QPersistentModelIndex,
        role: int,
        value: Any,
        hits: int = 1,
        flags: Qt.MatchFlag = Qt.MatchFlag.MatchStartsWith,
    ) -> list[QModelIndex]:
        """Find choices from an index on; Qt calls this for typed keys."""
        found = super().match(start, role, value, hits, flags)
        if role == Qt.ItemDataRole.DisplayRole and flags & Qt.MatchFlag.MatchStartsWith:
            found += super().match(start, role, f"{SUBCORPUS_SIGN}{value}", hits, flags)
            n = self.rowCount()
            found.sort(key=lambda index: (index.row() - start.row()) % n)
        return found if hits < 0 else found[:hits]


def make_choice_box() -> QComboBox:
    """Make a box whose choices, including sub-corpora, are found by typing."""
    box = QComboBox()
    box.setModel(ChoiceModel(box))
    return box


def replace_choices(box: QComboBox, choices: Sequence[tuple[str, str]]) -> None:
    """Replace the choices, pairs of text and key, without a signal."""
    kept = box.currentData()
    with QSignalBlocker(box):
        box.clear()
        for words, key in choices:
            box.addItem(words, key)
        box.setCurrentIndex(max(box.findData(kept), 0))


def select_choice(box: QComboBox, key: str) -> None:
    """Select a key, or the first choice if it is not offered, without a signal."""
    with QSignalBlocker(box):
        box.setCurrentIndex(max(box.findData(key), 0))


INT_LIMIT = 2**31 - 1  # of Qt's spin boxes
_COMMAND_WORDS = re.compile(
    r"^(?:NAME|LANGUAGE)=FILE(?: or (?:FILE|\w+=CORPUS))?,? (with|to) "
)
# A short default in a description, such as "Default: all." or "Default: 0.001."
_DEFAULT = re.compile(r"Default: ((?:[^.:;(]|\.(?=\d)){1,40})\.(?!\d)")
MAX_BOX_TEXT = 60  # characters of a check box; a longer description is below it
FILES = (  # paths that are files
    *("source", "target", "file", "pieces", "dictionary", "table", "gold"),
    *("train_source", "train_target", "train_gold", "transfer_train", "word_vectors"),
)


class FieldFacts(NamedTuple):
    """The metadata of a field of a struct.

    Attributes:
        refers_to: kind of project object that the field names, or empty.
        has_names: whether the field accepts files with names.
    """

    name: str
    title: str
    description: str
    plain: Any  # the type without Annotated and None
    low: float | None
    high: float | None
    is_required: bool
    default: Any
    refers_to: str = ""
    has_names: bool = False


class Field(NamedTuple):
    """An input: the widget, and functions to read, set and watch its value."""

    widget: QWidget
    read: Callable[[], Any]
    write: Callable[[Any], object]
    watch: Callable[[Callable[[], object]], object]


def make_language_input(line: LanguageField) -> Field:
    """Return a language field as an input of a form."""

    def write(value: Any) -> None:
        if value:
            line.set_code(str(value))
        else:
            line.clear()

    return Field(
        line,
        lambda: line.code,
        write,
        lambda slot: line.language_changed.connect(lambda: slot()),
    )


def make_languages_input(title: str, description: str) -> Field:
    """Make the input of several languages."""
    languages = LanguageList(title, description)
    return Field(
        languages,
        languages.read,
        lambda codes: languages.write([*map(str, codes or ())]),
        lambda slot: languages.changed.connect(slot),
    )


def field_facts(info: msgspec.structs.FieldInfo) -> FieldFacts:
    """Read type, bounds, title and description of a field."""
    metas, plain = _unwrap(info.type)
    title = next((m.title for m in metas if m.title), None)
    description = next((m.description for m in metas if m.description), "")
    words = next((one for m in metas if (one := _extra(m, "window"))), description)
    lows = [m.ge if m.ge is not None else m.gt for m in metas]
    highs = [m.le if m.le is not None else m.lt for m in metas]
    return FieldFacts(
        name=info.name,
        title=title or _title_of(info.name),
        description=_window_words(words or "", _choices_of(plain)),
        plain=plain,
        low=next((low for low in lows if low is not None), None),
        high=next((high for high in highs if high is not None), None),
        is_required=info.required,
        default=None if info.required else info.default,
        refers_to=next((one for m in metas if (one := _extra(m, "refers_to"))), ""),
        has_names=bool(_COMMAND_WORDS.match(description or "")),
    )


def make_field(facts: FieldFacts) -> Field:
    """Make the input for a field; its tooltip is the field's description."""
    plain = facts.plain
    if plain is bool:
        is_long = len(facts.description) > MAX_BOX_TEXT
        words = facts.title if is_long else facts.description or facts.title
        field = make_check_box(facts.title, words.removesuffix("."))
    elif plain in (int, float) and not facts.is_required and facts.default is None:
        field = _make_optional_number(facts)
    elif plain is int:
        field = _make_spin_box(facts)
    elif plain is float:
        field = _make_double_box(facts)
    elif get_origin(plain) is Literal:
        field = make_choice([(choice_title(v, facts.name), v) for v in get_args(plain)])
    elif get_origin(plain) is tuple:
        if get_args(plain)[0] is Path:
            field = _make_files(facts)
        elif facts.name.endswith("languages"):
            field = make_languages_input(facts.title, facts.description)
        else:
            field = _make_list(facts)
    elif plain is Path:
        field = _make_path(facts)
    elif facts.name.endswith("language"):
        field = make_language_input(LanguageField(facts.title))
    else:
        field = _make_line(facts)
    describe(field.widget, facts.title, facts.description)
    return field


def _choices_of(plain: Any) -> tuple[str, ...]:
    """Return the values of a choice or of a list of choices; else an empty result."""
    if get_origin(plain) is tuple:
        plain = _unwrap(get_args(plain)[0])[1]
    return get_args(plain) if get_origin(plain) is Literal else ()


def _window_words(description: str, choices: Sequence[str]) -> str:
    """Remove text that only applies to the command line from a description.

    A value in parentheses, such as (csls), becomes the title of the choice.
    """
    words = _COMMAND_WORDS.sub(r"File \1 ", description, count=1)
    for ending in ("; may be repeated.", " auto: by the file name."):
        if words.endswith(ending):
            words = words.removesuffix(ending).rstrip(".") + "."
    words = re.sub(r"; repeat for more \w+", "", words)
    for value in choices:
        name, value = _short_title(value), re.escape(value)
        words = re.sub(rf"(?i)({re.escape(name)}) \({value}\)", r"\1", words)
        words = re.sub(rf"\({value}(?=[);,])", f"({name}", words)
        words = re.sub(rf"(^|[.;] ){value}(?=: )", rf"\1{name}", words)
    return re.sub(r"(^|[.;] )auto\b", rf"\1{_short_title('auto')}", words)


def _short_title(value: str) -> str:
    """Return the title of a choice without an explanation, or its abbreviation."""
    title = choice_title(value)
    abbreviation = re.search(r"\(([A-Z]+)\)$", title)
    return abbreviation[1] if abbreviation else title.partition(" (")[0]


def make_files_field(facts: FieldFacts) -> Field:
    """Make the input for files, which may have names: NAME=FILE."""
    return _make_files(facts, has_names=facts.has_names)


def _extra(meta: msgspec.Meta, key: str) -> str:
    return str((meta.extra or {}).get(key, ""))


def _title_of(name: str) -> str:
    """Turn the name of a field into words: n_steps is the number of steps."""
    known = _known_titles()
    if name in known:
        return known[name]
    words = name.removeprefix("n_").replace("_", " ")
    return f"Number of {words}" if name.startswith("n_") else words.capitalize()


def _known_titles() -> dict[str, str]:
    """Return the titles of fields whose names are short."""
    return {
        "k": _tr("Neighbours"),
        "out": _tr("Output"),
        "dim": _tr("Dimensions"),
        "lr": _tr("Learning rate"),
        "seed": _tr("Random seed"),
        "save": _tr("Save hits as"),
        "sure": _tr("Minimum confidence"),
        "suspects": _tr("Doubtful labels"),
        "least": _tr("Lowest confidence"),
        "joined": _tr("Maximum joined sentences"),
        "min_dist": _tr("Minimum distance"),
        "min_count": _tr("Minimum count"),
        "top": _tr("Maximum number"),
        "raw": _tr("Original lengths"),
        "directory": _tr("Folder"),
        "across": _tr("Across languages"),
        "centred": _tr("Centred vectors"),
        "against": _tr("Compare with"),
        "heads": _tr("Heads of translation models"),
        "developments": _tr("Development files"),
        "n_train": _tr("Training rows"),
        "n_dev": _tr("Development rows"),
        "n_test": _tr("Test rows"),
        "n_hidden": _tr("Hidden units"),
        "n_folds": _tr("Folds"),
        "n_inner_folds": _tr("Inner folds"),
        "fewest_words": _tr("Minimum number of words"),
        "most_words": _tr("Maximum number of words"),
    }


def _unwrap(annotation: Any) -> tuple[list[msgspec.Meta], Any]:
    metas: list[msgspec.Meta] = []
    while True:
        if get_origin(annotation) is Annotated:
            metas += [m for m in annotation.__metadata__ if isinstance(m, msgspec.Meta)]
            annotation = annotation.__origin__
        elif get_origin(annotation) in (typing.Union, types.UnionType):
            parts = [t for t in get_args(annotation) if t is not type(None)]
            annotation = parts[0]
        else:
            return metas, annotation


def make_check_box(title: str, words: str) -> Field:
    """Make a check box with the label `words`."""
    box = QCheckBox(words)
    describe(box, title, words if words != title else "")
    return Field(
        box, box.isChecked, box.setChecked, lambda f: box.toggled.connect(lambda: f())
    )


def _make_spin_box(facts: FieldFacts) -> Field:
    box = QSpinBox()
    low = -INT_LIMIT if facts.low is None else int(facts.low)
    high = INT_LIMIT if facts.high is None else int(facts.high)
    box.setRange(max(low, -INT_LIMIT), min(high, INT_LIMIT))
    box.setGroupSeparatorShown(True)
    indent_number(box)
    return Field(
        box, box.value, box.setValue, lambda f: box.valueChanged.connect(lambda: f())
    )


def _make_double_box(facts: FieldFacts) -> Field:
    box = FloatBox(facts.low, facts.high)
    indent_number(box)
    return Field(
        box, box.value, box.setValue, lambda f: box.valueChanged.connect(lambda: f())
    )


def _make_optional_number(facts: FieldFacts) -> Field:
    """Make a line for a number that may be empty."""
    default = _DEFAULT.search(facts.description)
    several = _tr("default") if "Default" in facts.description else _tr("none")
    line = QLineEdit(placeholderText=default[1] if default else several)

    def _read() -> str | None:
        return line.text().strip().replace(",", ".") or None

    return Field(
        line,
        _read,
        lambda value: line.setText(_number_text(value)),
        lambda f: line.textChanged.connect(lambda: f()),
    )


def _number_text(value: float | None) -> str:
    """Format a number so that it can be read back; an empty text for None."""
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else f"{value:g}"


def make_choice(choices: Sequence[tuple[str, Any]]) -> Field:
    """Make the input for one of several values: pairs of title and value."""
    box = make_choice_box()
    for title, value in choices:
        box.addItem(title, value)
    return Field(
        box,
        box.currentData,
        lambda value: box.setCurrentIndex(max(box.findData(value), 0)),
        lambda f: box.currentIndexChanged.connect(lambda: f()),
    )


def _make_line(facts: FieldFacts) -> Field:
    line = QLineEdit()
    return Field(
        line,
        line.text,
        lambda value: line.setText(str(value or "")),
        lambda f: line.textChanged.connect(lambda: f()),
    )


def _make_files(facts: FieldFacts, *, has_names: bool = False) -> Field:
    files = FileList(facts.title, facts.description, has_names=has_names)
    describe(files, facts.title, facts.description)
    return Field(
        files,
        lambda: files.values,
        lambda values: files.write(values or ()),
        lambda f: files.changed.connect(lambda: f()),
    )


def _make_list(facts: FieldFacts) -> Field:
    """Make the input for a list of numbers or of texts."""
    metas, plain = _unwrap(get_args(facts.plain)[0])
    if plain is int:
        low = next((int(meta.ge) for meta in metas if meta.ge is not None), 0)
        high = next((int(meta.le) for meta in metas if meta.le is not None), INT_LIMIT)
        numbers = NumberList(facts.title, facts.description, low=low, high=high)
        return Field(
            numbers, numbers.read, numbers.write, lambda f: numbers.changed.connect(f)
        )
    return make_text_list(facts.title, facts.description)


def make_text_list(title: str, hint: str, offered: Sequence[str] = ()) -> Field:
    """Make the input of several texts; `offered` are suggestions."""
    texts = TextList(title, hint, offered=offered)
    return Field(
        texts,
        texts.read,
        lambda values: texts.write(values or ()),
        lambda slot: texts.changed.connect(slot),
    )


def _make_path(facts: FieldFacts) -> Field:
    line = QLineEdit()
    takes_file = facts.name in FILES
    mode = QFileDialog.FileMode.ExistingFile if takes_file else _DIRECTORY
    widget = _with_button(
        line, facts, _tr("Choose…"), mode, lambda p: line.setText(str(p))
    )
    return Field(
        widget,
        lambda: line.text() or None,
        lambda value: line.setText("" if value in (None, Path()) else str(value)),
        lambda f: line.textChanged.connect(lambda: f()),
    )


def _with_button(
    line: QLineEdit,
    facts: FieldFacts,
    words: str,
    mode: QFileDialog.FileMode,
    on_chosen: Callable[[Path], object],
) -> QWidget:
    widget = QWidget()
    button = make_button(
        words,
        facts.description or words,
        lambda: ask_path(
            *(widget.window(), facts.title, on_chosen),
            mode=mode,
            start=package_folder(widget) if facts.name == "package" else None,
        ),
    )
    describe(line, facts.title, facts.description)
    make_row((line, 1), button, parent=widget)
    widget.setFocusProxy(line)
    return widget


_DIRECTORY = QFileDialog.FileMode.Directory


def make_new_file_field(
    hint: str, start: Path, *, on_choose: Callable[[], object] | None = None
) -> Field:
    """Make a line for a new file, with a button that opens a file dialog.

    Args:
        start: the path that is proposed if the line is empty.
        on_choose: asks for the path instead of the dialog for a new file.
    """
    line, whole = QLineEdit(), QWidget()
    title = QCoreApplication.translate("new_file_field", "File")
    describe(line, title, hint)

    def ask() -> None:
        ask_path(
            whole.window(),
            whole.window().windowTitle(),
            lambda path: line.setText(str(path)),
            mode=QFileDialog.FileMode.AnyFile,
            start=Path(line.text() or start),
        )

    words = QCoreApplication.translate("new_file_field", "Choose…")
    choose = make_button(words, hint, on_choose or ask)
    make_row((line, 1), choose, parent=whole)
    whole.setFocusProxy(line)
    return Field(
        whole,
        lambda: line.text() or None,
        lambda value: line.setText(str(value or "")),
        lambda follow: line.textChanged.connect(lambda: follow()),
    )
