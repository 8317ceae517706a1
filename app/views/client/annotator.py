"""The name of the annotator: the system's until the user enters another one."""

import getpass
from functools import partial

import msgspec
from PySide6.QtCore import QCoreApplication

from app.paths import settings_file
from app.settings import load_settings
from app.views.client.state import AppState

_tr = partial(QCoreApplication.translate, "review")


def annotator_name(state: AppState) -> str:
    """Return the name that a judgement gets now; empty: there is none."""
    # Another window may have saved one: the engine reads the same file.
    saved = state.settings.user_name or load_settings(settings_file()).user_name
    if saved:
        return saved
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name
        return ""


def ensure_user_name(state: AppState) -> str:
    """Return the user's name; without one, save that of the account and show it."""
    saved = state.settings.user_name or load_settings(settings_file()).user_name
    if not saved:
        name = annotator_name(state)
        if not name:
            return ""
        state.change_settings(msgspec.structs.replace(state.settings, user_name=name))
        words = _tr(
            "Your judgements are saved under the name “{name}”. You can change it in "
            "the settings."
        )
        state.condition_found.emit(words.format(name=name))
        return name
    return saved
