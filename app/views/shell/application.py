"""Start the application: settings, style, window, error hook, watchdog."""

import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import (
    QLibraryInfo,
    QLocale,
    QLoggingCategory,
    QObject,
    QSize,
    Qt,
    QTimer,
    QTranslator,
)
from PySide6.QtWidgets import QApplication

from app import VERSION
from app.errors import UserError, describe_error
from app.paths import (
    make_private_folder,
    private_opener,
    resource_dir,
    settings_file,
    user_data_dir,
)
from app.settings import Settings, load_settings
from app.views.client.engine_client import EngineClient
from app.views.client.state import AppState
from app.views.shell.main_window import MainWindow
from app.views.shell.view_registry import ViewImporter, list_views, make_inspector
from app.views.widgets.icons import app_icon
from app.views.widgets.theme import Theme

log = logging.getLogger("window")
LIMIT_S = 0.05
BEAT_MS = 10


class Watchdog(QObject):
    """A timer in the GUI thread; its delay is the time that a step blocked the thread.

    Attributes:
        n_beats: number of beats since `reset`.
        n_late: number of beats that were late by more than 50 ms.
        slowest_s: the longest delay, in seconds.
    """

    def __init__(self, parent: QObject, *, beat_ms: int = BEAT_MS):
        super().__init__(parent)
        self._timer = QTimer(self, timerType=Qt.TimerType.PreciseTimer)
        self._timer.setInterval(beat_ms)
        self._timer.timeout.connect(self._on_beat)
        self.reset()

    def start(self) -> None:
        """Start the timer and reset the counts."""
        self.reset()
        self._timer.start()

    def stop(self) -> None:
        """Stop the timer."""
        self._timer.stop()

    def reset(self) -> None:
        """Reset the counts to zero."""
        self.n_beats = self.n_late = 0
        self.slowest_s = 0.0
        self._last = time.perf_counter()

    def _on_beat(self) -> None:
        now = time.perf_counter()
        late = now - self._last - self._timer.interval() / 1000
        self._last = now
        self.n_beats += 1
        self.slowest_s = max(self.slowest_s, late)
        if late > LIMIT_S:
            self.n_late += 1
            log.info("a step held the window's thread for %.0f ms", 1000 * late)


LOG_BYTES, N_LOGS = 1_000_000, 3
FRAME = QSize(16, 48)  # approximate window frame of a desktop


def main(project: Path | None = None) -> int:
    """Open the window and a project; return the exit code when the window closes."""
    _log_to_file(user_data_dir() / "logs")
    application = make_application()
    settings, complaint = read_settings(settings_file())
    theme = Theme(application, settings)
    window = make_window(settings, theme, settings_path=settings_file())
    install_hook(window)
    if not settings.window_geometry:
        fit_to_screen(window)
    window.show()
    if complaint is not None:
        window.state.error_posted.emit(describe_error(complaint))
    watchdog = Watchdog(window)
    watchdog.start()
    QTimer.singleShot(0, window, lambda: begin(window, project))
    return application.exec()


def make_application() -> QApplication:
    """Create the application object with its name, icon and translation."""
    # Qt warns about each font that lacks a script before it finds a suitable one.
    QLoggingCategory.setFilterRules("qt.text.font.db=false")
    application = QApplication(sys.argv[:1])
    application.setApplicationName("Isogloss")
    application.setApplicationVersion(VERSION)
    application.setDesktopFileName("isogloss")
    application.setWindowIcon(app_icon())
    locale = QLocale()
    for name, folder in (
        ("qtbase", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)),
        ("isogloss", str(resource_dir() / "translations")),
    ):
        translator = QTranslator(application)
        if translator.load(locale, name, "_", folder) and name == "isogloss":
            application.installTranslator(translator)
    return application


def make_window(
    settings: Settings,
    theme: Theme,
    *,
    settings_path: Path | None = None,
    client: EngineClient | None = None,
) -> MainWindow:
    """Create the client, the state and the window."""
    client = client or EngineClient()
    state = AppState(client, settings, settings_path=settings_path)
    client.setParent(state)
    state.settings_changed.connect(lambda: theme.apply(state.settings))
    window = MainWindow(
        state, list_views(state), make_inspector=lambda: make_inspector(state)
    )
    state.setParent(window)
    return window


def fit_to_screen(window: MainWindow) -> None:
    """Shrink a window whose frame is larger than its screen."""
    room = window.screen().availableGeometry().size() - FRAME
    window.resize(window.size().boundedTo(room))


def begin(window: MainWindow, project: Path | None = None) -> None:
    """Start the services of a project after the window is drawn, and open it."""
    window.state.client.start()
    if project is not None:
        window.projects.open_path(project)
    ViewImporter(window).start()


def read_settings(file: Path) -> tuple[Settings, UserError | None]:
    """Read the settings; return the defaults and the error if the file is damaged."""
    try:
        return load_settings(file), None
    except UserError as error:
        return Settings(), error


def install_hook(window: MainWindow) -> None:
    """Show uncaught exceptions, which a hidden console would lose."""
    show = _hook(window)
    sys.excepthook = show
    threading.excepthook = lambda facts: log.error(
        "a thread failed", exc_info=facts.exc_value
    )


def _hook(
    window: MainWindow,
) -> "Callable[[type[BaseException], BaseException, TracebackType | None], None]":
    def _show(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            window.close()
            return
        log.error("nobody caught this", exc_info=(kind, error, trace))
        window.state.error_posted.emit(describe_error(error))

    return _show


class _PrivateLog(RotatingFileHandler):
    """Log file handler whose file only this account can read."""

    def _open(self) -> TextIOWrapper:
        descriptor = private_opener(
            self.baseFilename, os.O_CREAT | os.O_APPEND | os.O_WRONLY
        )
        return TextIOWrapper(open(descriptor, "ab"), encoding=self.encoding)


def _log_to_file(folder: Path) -> None:
    make_private_folder(folder)
    handler = _PrivateLog(
        folder / "window.log", maxBytes=LOG_BYTES, backupCount=N_LOGS, encoding="utf-8"
    )
    handler.setFormatter(
        logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    )
    logging.basicConfig(level=logging.INFO, handlers=[handler])
