"""Settings dialog with a form of all settings and the keyboard shortcuts."""

from collections.abc import Sequence
from functools import partial

import msgspec
from PySide6.QtCore import QCoreApplication, QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDockWidget,
    QGridLayout,
    QHBoxLayout,
    QKeySequenceEdit,
    QMainWindow,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.errors import ErrorInfo
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits.pairs import RenameAnnotator
from app.settings import Settings
from app.views.client.annotator import saved_name
from app.views.client.state import AppState
from app.views.widgets.boxes import make_tabs
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import (
    ask_question,
    fit_dialog,
    lay_out_buttons,
    lay_out_dialog,
)
from app.views.widgets.form import Form, FormError
from app.views.widgets.number_format import describe_device, pluralize
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "settings")

HIDDEN = (
    *("recent_projects", "project_facts", "window_geometry", "inspector_width"),
    *("import_folder", "export_folder", "package_folder", "pair_format"),
    *("shortcuts", "recent_actions", "class_keys", "guide", "user_names"),
)


class SettingsDialog(QDialog):
    """Dialog with the settings for all projects."""

    def __init__(
        self,
        state: AppState,
        actions: Sequence[tuple[str, QAction]],
        parent: QWidget | None = None,
    ):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Settings"))
        fit_dialog(self, 72 * GRID, 72 * GRID)
        self._state = state
        self._actions = [(title, a) for title, a in actions if a.objectName()]
        self._keys: dict[QAction, QKeySequenceEdit] = {}
        self._old_name = saved_name(state)
        shown = msgspec.structs.replace(state.settings, user_name=self._old_name)
        self.form = Form(Settings, shown, skip=HIDDEN)
        self._in_use = make_label("", "secondary", wraps=True)
        self._show_devices()
        state.devices_changed.connect(self._show_devices)
        self._error = make_label("", "warning", wraps=True)
        self._error.hide()
        tabs = make_tabs(has_frame=True)
        tabs.addTab(self._make_general(), self.tr("General"))
        tabs.addTab(self._make_keys(), self.tr("Keys"))
        layout = lay_out_dialog(self)
        layout.addWidget(tabs, 1)
        layout.addWidget(self._error)
        layout.addLayout(self._make_buttons())

    def _make_general(self) -> QWidget:
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 3 * GRID, 0, 0)
        layout.setSpacing(2 * GRID)
        layout.addWidget(self.form)
        layout.addWidget(self._in_use)
        layout.addStretch()
        return page

    def _show_devices(self) -> None:
        """Offer the devices, which are known a few seconds after the start."""
        names = {text.split()[0]: describe_device(text) for text in self._state.devices}
        choices = [(self.tr("Automatic"), "auto")]
        choices += [(words, name) for name, words in names.items()]
        self.form.set_choices("device", choices)
        device = self._state.device
        words = self.tr("In use: {device}. {note}").format(
            device=names.get(device, device) or self.tr("not known yet"),
            note=self._state.device_note,
        )
        self._in_use.setText(words.strip())

    def _make_keys(self) -> QWidget:
        page = QWidget()
        page.setObjectName("scrolled")
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 2 * GRID, 2 * GRID, 0)
        grid.setColumnStretch(0, 1)
        category = ""
        for title, action in self._actions:
            row = grid.rowCount()
            if title != category:
                category = title
                grid.addWidget(make_label(category, "section"), row, 0, 1, 2)
                row += 1
            edit = self._make_key_edit(action)
            label = make_label(_plain(action))
            label.setBuddy(edit)
            grid.addWidget(label, row, 0)
            grid.addWidget(edit, row, 1)
            self._keys[action] = edit
        scroll = QScrollArea(widgetResizable=True)
        scroll.setWidget(page)
        return scroll

    def _make_key_edit(self, action: QAction) -> QKeySequenceEdit:
        edit = QKeySequenceEdit(action.shortcut())
        edit.setMaximumSequenceLength(1)
        edit.setClearButtonEnabled(True)
        name = _plain(action)
        describe(edit, name, self.tr("Press the keys for: {name}").format(name=name))
        return edit

    def _make_buttons(self) -> QHBoxLayout:
        save = make_button(
            self.tr("Save settings"),
            self.tr("Save these settings."),
            self._on_save,
            kind="primary",
        )
        return lay_out_buttons(self, save)

    def _on_save(self) -> None:
        clash = self._find_clash()
        if clash:
            self._show_error(clash)
            return
        try:
            values = self.form.values()
        except FormError as error:
            self._show_error(str(error))
            return
        shortcuts = dict(self._state.settings.shortcuts)
        for _, action in self._actions:
            keys = self._keys[action].keySequence()
            if keys != action.shortcut():
                action.setShortcut(keys)
                shortcuts[action.objectName()] = keys.toString()
        old_name, name, project = self._old_name, values.user_name, self._state.project
        values = msgspec.structs.replace(values, shortcuts=shortcuts)
        if name == old_name:
            former = self._state.settings.user_name
            values = msgspec.structs.replace(values, user_name=former)
        elif project is not None:
            values = values.with_name_in(project.folder, name)
        self._state.change_settings(values)
        self.accept()
        window = self.parentWidget()
        if window is not None and old_name != name:
            offer_renaming(self._state, old_name, name, window)

    def _find_clash(self) -> str:
        """Return an error if two actions have the same keys, or an empty text.

        A shortcut can have one action in each view, since one view is shown at a time;
        shortcuts of the window's own actions apply in every view.
        """
        taken: dict[tuple[QObject | None, str], str] = {}
        for title, action in self._actions:
            edit = self._keys[action]
            keys = edit.keySequence().toString(QKeySequence.SequenceFormat.NativeText)
            if not keys:
                continue
            name = f"{title}: {_plain(action)}"
            parent = action.parent()
            is_global = isinstance(parent, QMainWindow | QDockWidget)
            owner = None if is_global else parent
            first = taken.get((owner, keys)) or taken.get((None, keys))
            if first is not None:
                words = self.tr(
                    "{keys} is assigned to two actions: {first} and {second}."
                )
                return words.format(keys=keys, first=first, second=name)
            taken[owner, keys] = name
        return ""

    def _show_error(self, text: str) -> None:
        self._error.setText(text)
        self._error.show()


def offer_renaming(state: AppState, old: str, new: str, window: QWidget) -> None:
    """Ask whether to rename the annotator in existing judgements, too."""
    # Loads SQLAlchemy, which the start of the window does without.
    from app.engine.store.pairs.annotators import count_judged_by, has_judgements

    project = state.project
    n = count_judged_by(project.store, old) if project is not None else 0
    if project is None or not n or not new or not state.can_write:
        return
    named = _tr("the name “{old}”").format(old=old) if old else _tr("no name")
    if has_judgements(project.store, new):
        words = _tr(
            "“{new}” already has judgements in this project. Your earlier judgements "
            "keep {named}."
        )
        state.notice_posted.emit(words.format(new=new, named=named))
        return
    pairs = pluralize(n, _tr("1 pair"), _tr("{n} pairs"))
    words = _tr("Your judgements of {pairs} in this project have {named}.")
    details = _tr(
        "Rename them to “{new}”? Agreement and exports follow. Undo restores the old "
        "name (Ctrl+Z). Other projects do not change."
    )
    ask_question(
        window,
        words.format(pairs=pairs, named=named),
        {
            _tr("Rename earlier judgements too"): partial(_rename, state, old, new),
            _tr("Keep the old name"): lambda: None,
        },
        details=details.format(new=new),
    )


def _rename(state: AppState, old: str, new: str) -> None:
    def _show_answer(answer: EditAnswer | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            state.error_posted.emit(answer)
        else:
            state.notice_posted.emit(answer.text)

    state.edit(RenameAnnotator(old=old, new=new), _show_answer)


def _plain(action: QAction) -> str:
    return action.text().replace("&", "")
