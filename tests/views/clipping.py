"""Checks for every view: controls that do not fit, and errors when all is pressed."""

from itertools import pairwise

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QSplitter,
    QStyleOptionTab,
    QTabBar,
    QTableView,
    QWidget,
)

from app.views.widgets.controls import ElidedLabel

CONTROLS = (QAbstractButton, QLabel, QComboBox, QAbstractSpinBox, QLineEdit)
NEVER = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
LEAST_CUT = 3  # pixels of a column
LOWER = 4  # pixels less than a button or field asks for that cut no letter
LEAST_OVERLAP = 3  # pixels: less is a shared border


def clipped_texts(view: QWidget) -> list[str]:
    """Return the texts of visible buttons and labels that are narrower than they need.

    Wrapped labels adapt by themselves, and so do elided ones that take no line of their
    own.
    """
    clipped = []
    controls: list[QPushButton | QCheckBox | QRadioButton | QLabel] = [
        *view.findChildren(QPushButton),
        *view.findChildren(QCheckBox),
        *view.findChildren(QRadioButton),
        *view.findChildren(QLabel),
    ]
    for control in controls:
        if not (control.text() and control.isVisibleTo(view)):
            continue
        if isinstance(control, ElidedLabel):
            is_cut = QLabel.text(control) != control.text()
            is_clipped = control.takes_line and is_cut
        elif isinstance(control, QLabel) and control.wordWrap():
            is_clipped = control.height() < control.heightForWidth(control.width())
        else:
            is_clipped = control.width() < control.minimumSizeHint().width()
        if is_clipped:
            clipped.append(control.text())
    return clipped


def elided_tabs(view: QWidget) -> list[str]:
    """Return the titles of visible tabs that are shortened."""
    elided = []
    for bar in view.findChildren(QTabBar):
        for index in range(bar.count() if bar.isVisibleTo(view) else 0):
            option = QStyleOptionTab()
            bar.initStyleOption(option, index)
            if option.text != bar.tabText(index):
                elided.append(bar.tabText(index))
    return elided


def cut_columns(view: QWidget) -> list[str]:
    """Return the titles of columns that the right edge of their table cuts.

    The columns of a matrix, which has names of rows, are equally important.
    """
    cut = []
    for table in view.findChildren(QTableView):
        header, room = table.horizontalHeader(), table.viewport().width()
        is_matrix = table.verticalHeader().isVisibleTo(table)
        if is_matrix or not table.isVisible() or table.window() is not view.window():
            continue
        for column in range(header.count()):
            left = header.sectionViewportPosition(column)
            right = left + header.sectionSize(column)
            if not header.isSectionHidden(column) and left < room < right - LEAST_CUT:
                cut.append(
                    str(table.model().headerData(column, Qt.Orientation.Horizontal))
                )
    return cut


def layout_faults(window: QWidget) -> list[str]:
    """Return what is wrong with the layout of a window or a dialog as it is shown.

    Texts and titles of tabs that are cut, controls that reach out of the widget around
    them (unless it scrolls), controls that are lower than they need, controls that
    overlap, and parts of a splitter that do.
    """
    texts = [*clipped_texts(window), *elided_tabs(window)]
    faults = [f"text cut: {text!r}" for text in texts]
    faults += overlapping_parts(window)
    seen: list[tuple[QWidget, QRect]] = []
    for control in window.findChildren(QWidget):
        if not _is_checked(control, window):
            continue
        if _needed_height(control) > control.height():
            faults.append(f"too low: {_name(control)}")
        visible = _visible_rect(control, window)
        if visible is None:
            faults.append(f"cut off: {_name(control)}")
        elif not visible.isEmpty():
            for other, place in seen:
                both = place.intersected(visible)
                if min(both.width(), both.height()) >= LEAST_OVERLAP:
                    faults.append(f"overlap: {_name(control)} and {_name(other)}")
            seen.append((control, visible))
    return faults


def overlapping_parts(view: QWidget) -> list[str]:
    """Return the splitters without room for their parts: a part covers the next one."""
    faults = []
    for split in view.findChildren(QSplitter):
        parts = [split.widget(index) for index in range(split.count())]
        shown = [part for part in parts if part is not None and part.isVisible()]
        for part, other in pairwise(shown):
            both = part.geometry().intersected(other.geometry())
            if not both.isEmpty():
                name = f"{type(part).__name__} and {type(other).__name__}"
                faults.append(f"overlap by {both.width()} x {both.height()}: {name}")
    return faults


def _is_checked(control: QWidget, window: QWidget) -> bool:
    """Return whether a widget is a control of its own, and not part of another one."""
    parent = control.parentWidget()
    return (
        isinstance(control, CONTROLS)
        and control.isVisible()
        and control.window() is window
        and not isinstance(parent, CONTROLS)
        and not _is_bare(control)
    )


def _is_bare(control: QWidget) -> bool:
    return isinstance(control, QLabel) and not control.text()


def _needed_height(control: QWidget) -> int:
    """Return the least height of a control with one line of text."""
    if isinstance(control, QLabel) or not _text(control):
        return 0
    if isinstance(control, QPushButton | QLineEdit):
        return control.sizeHint().height() - LOWER
    return control.fontMetrics().height()


def _visible_rect(control: QWidget, window: QWidget) -> QRect | None:
    """Return where a control is seen in the window; None if a part can't be reached."""
    whole = QRect(control.mapTo(window, QPoint()), control.size())
    rect, widget = QRect(whole), control.parentWidget()
    can_scroll_x = can_scroll_y = False
    while widget is not None and widget is not window:
        place = QRect(widget.mapTo(window, QPoint()), widget.size())
        area = widget.parentWidget()
        if isinstance(area, QAbstractScrollArea) and area.viewport() is widget:
            can_scroll_x |= area.horizontalScrollBarPolicy() != NEVER
            can_scroll_y |= area.verticalScrollBarPolicy() != NEVER
        is_out_x = rect.left() < place.left() or rect.right() > place.right()
        is_out_y = rect.top() < place.top() or rect.bottom() > place.bottom()
        if (is_out_x and not can_scroll_x) or (is_out_y and not can_scroll_y):
            return None
        rect = rect.intersected(place)
        if rect.isEmpty():
            return rect
        widget = widget.parentWidget()
    return rect if can_scroll_x or window.rect().contains(rect) else None


def _text(control: QWidget) -> str:
    return str(getattr(control, "text", control.accessibleName)())


def _name(control: QWidget) -> str:
    return f"{type(control).__name__} {_text(control) or control.accessibleName()!r}"


def press_everything(view: QWidget) -> None:
    """Press every enabled button without a menu, trigger every action, close dialogs.

    Folders are not opened: that would start a file manager.
    """
    for button in view.findChildren(QPushButton):
        is_enabled = button.isVisibleTo(view) and button.isEnabled()
        if is_enabled and button.menu() is None and button.text() != "Open folder":
            button.click()
            _close_dialogs(view)
    for action in view.actions():
        if "older" not in action.text():
            action.trigger()
            _close_dialogs(view)


def _close_dialogs(view: QWidget) -> None:
    for dialog in view.findChildren(QDialog):
        dialog.reject()
