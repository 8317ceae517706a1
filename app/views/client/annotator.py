"""The name of the annotator: the system's until the user enters another one."""

import getpass
from functools import partial

from PySide6.QtCore import QCoreApplication

from app.paths import settings_file
from app.settings import load_settings
from app.views.client.state import AppState

_tr = partial(QCoreApplication.translate, "review")


def saved_name(state: AppState) -> str:
    """Return the name stored for the open project, or an empty string."""
    # Another window may have saved one: the engine reads the same file.
    for settings in (state.settings, load_settings(settings_file())):
        name = settings.user_name
        if state.project is not None:
            name = settings.name_in(state.project.folder)
        if name:
            return name
    return ""


def annotator_name(state: AppState) -> str:
    """Return the name stored with new judgements, or an empty string."""
    saved = saved_name(state)
    if saved:
        return saved
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name
        return ""


def ensure_user_name(state: AppState) -> str:
    """Return the user's name in the open project, and save it for this project.

    Show a message if it is the name of the account, or if all earlier judgements of the
    project have other names.
    """
    project, name = state.project, annotator_name(state)
    if not name or project is None or state.settings.has_name_in(project.folder):
        return name
    # Loads SQLAlchemy, which the start of the window does without.
    from app.engine.store.pairs.annotators import list_annotators

    is_of_account, earlier = not saved_name(state), list_annotators(project.store)
    state.change_settings(state.settings.with_name_in(project.folder, name))
    if earlier and name not in earlier:
        words = _tr(
            "Your judgements are saved under the name “{name}”. The earlier ones in "
            "this project have the name {others}. To change your name, click it at the "
            "top of Review."
        )
        others = ", ".join(f"“{one}”" for one in earlier)
        state.condition_found.emit(words.format(name=name, others=others))
    elif is_of_account:
        words = _tr(
            "Your judgements are saved under the name “{name}”. To change it, click it "
            "at the top of Review."
        )
        state.condition_found.emit(words.format(name=name))
    return name
