"""Checks for every view: clipped text, and errors when everything is pressed."""

from PySide6.QtWidgets import QCheckBox, QDialog, QLabel, QPushButton, QWidget

from app.views.widgets.controls import ElidedLabel


def clipped_texts(view: QWidget) -> list[str]:
    """Return the texts of visible buttons and labels that are narrower than they need.

    Elided and wrapped labels adapt by themselves.
    """
    clipped = []
    controls: list[QPushButton | QCheckBox | QLabel] = [
        *view.findChildren(QPushButton),
        *view.findChildren(QCheckBox),
        *view.findChildren(QLabel),
    ]
    for control in controls:
        is_shown = control.text() and control.isVisibleTo(view)
        if not is_shown or isinstance(control, ElidedLabel):
            continue
        if isinstance(control, QLabel) and control.wordWrap():
            is_clipped = control.height() < control.heightForWidth(control.width())
        else:
            is_clipped = control.width() < control.minimumSizeHint().width()
        if is_clipped:
            clipped.append(control.text())
    return clipped


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
