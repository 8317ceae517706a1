"""Checks of the one design that all dialogs have."""

import re
from collections.abc import Iterator

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QGridLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QListWidget,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from app.views.widgets.form import Form

STEP = 4  # pixels: half of the grid
MANY = 8  # fields; a form with more folds some of them
SHIFT = 2  # pixels: less is the same place
INPUTS = (QLineEdit, QComboBox, QAbstractSpinBox)
TAGS = re.compile(r"<\w[^>]*>")  # of rich text
COMMAND_FORMS = re.compile(
    r"(?<![\w-])--[a-z]"  # --option
    r"|\b[A-Za-z_]+=[\w.]"  # NAME=FILE, min=3
    # nli:0.5, pattern:weight; lemma:go is a query of the concordance
    r"|\b(?!https?:|lemma:|pos:)[A-Za-z-]{2,}:[\w.]"
    r"|\b[a-z]+(?:_[a-z]+)+\b"  # n_layers
    r"|\w\|\w"  # 1|3|5
    r"|\w\.\.(?!\.)|(?<!\.)\.\.\w"  # 1850..1890, 1850.., ..1890
    r"|(?<!\\p)\{\w*\}"  # {author}_{year}, but no \p{Greek}
    r"|\w & \w[^;]*;"  # 1 & 128; 3 & 256
    r"|\w\.[A-Z]{2,}\b|\b(?:NAME|FILE|VALUE|SETTING)\b"  # eng-tel.NAME
    r"|\b(?i:separated?)\b[^.]*\bcommas?\b"  # lists that are typed into a line
    r"|⇥|\b[A-Z]\+[A-Z]\b"  # label⇥text, two corpora A+B
)


def design_faults(dialog: QDialog) -> list[str]:
    """Return where a dialog that is shown differs from the design.

    One primary button with a verb and its object, or a default button that closes a
    dialog without inputs; distances in steps of four pixels; labels above their fields;
    a form with many fields folds some; no text has a form of the command line.
    """
    if isinstance(dialog, QMessageBox):
        return []
    return [
        *_button_faults(dialog),
        *_distance_faults(dialog),
        *_label_faults(dialog),
        *_form_faults(dialog),
        *command_forms(dialog),
    ]


def command_forms(shown: QWidget) -> list[str]:
    """Return the texts of a dialog or view that have a form of the command line.

    Also those that are folded away. Values that a user types are not looked at.
    """
    texts = {
        text: None
        for widget in shown.findChildren(QWidget)
        for text in _texts_of(widget)
        if COMMAND_FORMS.search(TAGS.sub("", text))
    }
    return [f"a form of the command line: {text!r}" for text in texts]


def _texts_of(widget: QWidget) -> Iterator[str]:
    yield from (widget.toolTip(), widget.accessibleDescription())
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    if isinstance(widget, QLineEdit | QPlainTextEdit):
        yield widget.placeholderText()
    if isinstance(widget, QComboBox):
        yield from (widget.itemText(index) for index in range(widget.count()))
    if isinstance(widget, QListWidget):
        yield from (widget.item(index).text() for index in range(widget.count()))


def _button_faults(dialog: QDialog) -> Iterator[str]:
    buttons = [one for one in dialog.findChildren(QPushButton) if one.isVisible()]
    primary = [one for one in buttons if one.property("primary")]
    default = [one.text() for one in buttons if one.isDefault()]
    if not primary:
        if default != ["Close"]:
            yield f"no primary button, and {default} is the default"
        return
    texts = [one.text() for one in primary]
    if len(texts) > 1:
        yield f"several primary buttons: {texts}"
    if default != texts:
        yield f"the default is {default}, not {texts}"
    for text in texts:
        if len(text.split()) < 2:
            yield f"not a verb and its object: {text!r}"
    for one in buttons:
        if one.text() == "Cancel" and not one.property("quiet"):
            yield "Cancel is not quiet"


def _distance_faults(dialog: QDialog) -> Iterator[str]:
    for layout in _layouts(dialog.layout()):
        margins = layout.contentsMargins()
        sizes = [margins.left(), margins.top(), margins.right(), margins.bottom()]
        if isinstance(layout, QGridLayout):
            sizes += [layout.horizontalSpacing(), layout.verticalSpacing()]
        elif layout.count() > 1:
            sizes.append(layout.spacing())
        step = 2 * STEP if layout is dialog.layout() else STEP
        if any(size % step for size in sizes):
            owner = layout.parentWidget()
            yield f"{type(layout).__name__} of {type(owner).__name__}: {sizes}"


def _layouts(layout: QLayout | None) -> Iterator[QLayout]:
    """Yield a layout, and those in it and in its plain widgets and forms."""
    if layout is None:
        return
    yield layout
    for index in range(layout.count()):
        item = layout.itemAt(index)
        assert item is not None
        widget = item.widget()
        if widget is not None and (type(widget) is QWidget or isinstance(widget, Form)):
            yield from _layouts(widget.layout())
        else:
            yield from _layouts(item.layout())


def _label_faults(dialog: QDialog) -> Iterator[str]:
    for label in dialog.findChildren(QLabel):
        field = label.buddy()
        if field is None or not (label.isVisible() and field.isVisible()):
            continue
        place, other = (one.mapTo(dialog, QPoint()) for one in (label, field))
        is_above = place.y() + label.height() <= other.y() + SHIFT
        if not is_above or abs(place.x() - other.x()) > SHIFT:
            yield f"not above its field: {label.text()!r}"


def _form_faults(dialog: QDialog) -> Iterator[str]:
    for form in dialog.findChildren(Form):
        shown = [name for name in form.names if form.field(name).widget.isVisible()]
        if len(shown) > MANY and not form.has_advanced:
            yield f"nothing is folded of {len(shown)} fields"
