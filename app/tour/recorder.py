"""Scene recorder: plays scenes in a window, waits for signals, saves pictures."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeVar, cast, get_args

import msgspec
from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QEventLoop,
    QObject,
    QPoint,
    Qt,
    QTimer,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from app.engine.store.corpora import CorpusRow
from app.errors import ErrorInfo, ResourceError
from app.params import Params
from app.protocol.edits import Change
from app.settings import Settings
from app.views.client.project_reader import ProjectReader
from app.views.client.runs import RunState
from app.views.shell.application import make_application, make_window
from app.views.shell.inspector import Inspector
from app.views.widgets.theme import Theme

SIZE = (1440, 900)
TIMEOUT_MS = 120_000  # for one answer of the engine on a slow machine
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
V = TypeVar("V", bound=QWidget)
Scenes = dict[str, Callable[[], QWidget | None]]


class _Answered(QObject):
    got = Signal()


class SceneRecorder:
    """Saves scenes of a window as pictures.

    Attributes:
        window: main window.
        state: state of the window.
        pictures: files written so far.
    """

    def __init__(
        self, out: Path, schemes: Sequence[Scheme] = SCHEMES, *, text_scale: int = 100
    ):
        """Make a window.

        Args:
            out: folder of the pictures.
            schemes: one or more themes.
            text_scale: text size in %.
        """
        self.pictures: list[Path] = []
        self._out, self._schemes = out, tuple(schemes)
        self._numbers: dict[str, int] = {}
        self._errors: list[str] = []
        application = QApplication.instance() or make_application()
        settings = Settings(theme=self._schemes[0], text_scale=text_scale)
        self._theme = Theme(cast(QApplication, application), settings)
        self.window = make_window(settings, self._theme)
        self.state = self.window.state
        self.state.error_posted.connect(self._on_error_posted)
        self.window.resize(*SIZE)
        self.window.show()

    def number(self, names: Sequence[str]) -> None:
        """Number the pictures in this order, independent of the order of playing."""
        self._numbers = {name: index for index, name in enumerate(names, 1)}

    def play_all(self, scenes: Scenes) -> None:
        """Save a picture of each scene in every theme, first in the current theme."""
        if not scenes:
            return
        now = self._theme.scheme
        for scheme in sorted(self._schemes, key=lambda scheme: scheme != now):
            self._play(scheme, scenes)

    def _play(self, scheme: Scheme, scenes: Scenes) -> None:
        """Save a picture of each scene in one theme; a scene can return its dialog."""
        settings = msgspec.structs.replace(self.state.settings, theme=scheme)
        self.state.change_settings(settings)
        for name, scene in scenes.items():
            dialog = scene()
            self.settle()
            self._save(name, scheme, dialog)
            if dialog is not None:
                dialog.close()

    def show_view(self, name: str, kind: type[V]) -> V:
        """Show and return a view of the window."""
        if self.window.view_name != name:
            self.window.show_view(name)
        view: object = self.window.view
        assert isinstance(view, kind)
        return view

    @property
    def inspector(self) -> Inspector:
        """Return the window's inspector."""
        inspector = self.window.inspector_dock.widget()
        assert isinstance(inspector, Inspector)
        return inspector

    @property
    def project(self) -> ProjectReader:
        """Return the open project."""
        assert self.state.project is not None, "the tour begins with a project"
        return self.state.project

    def find_corpus(self, language: str) -> CorpusRow:
        """Return the first corpus in a language."""
        return next(row for row in self.project.corpora if row.language == language)

    def wait_for_neighbours(self) -> None:
        """Wait until the inspector shows the neighbours of the selected sentence."""
        self.wait(self.inspector.neighbours_shown, self.inspector.ask_neighbours)

    def run(self, params: Params) -> RunState:
        """Run a task to its end."""
        runs: list[RunState] = []
        self.wait(self.state.run_finished, lambda: runs.append(self.state.run(params)))
        return runs[0]

    def wait(self, signal: SignalInstance, begin: Callable[[], object]) -> None:
        """Call a function, then wait for a signal.

        Raises:
            ResourceError: the signal timed out, or the engine reported an error.
        """
        loop, seen, n_errors = QEventLoop(), [False], len(self._errors)

        def _on_signal(*values: object) -> None:
            seen[0] = True
            loop.quit()

        signal.connect(_on_signal)
        self.state.error_posted.connect(loop.quit)
        timer = QTimer(singleShot=True, interval=TIMEOUT_MS)
        timer.timeout.connect(loop.quit)
        timer.start()
        begin()
        if not seen[0] and len(self._errors) == n_errors:
            loop.exec()
        signal.disconnect(_on_signal)
        self.state.error_posted.disconnect(loop.quit)
        if not seen[0]:
            reason = self._errors[-1] if self._errors else "the engine did not answer."
            raise ResourceError(f"The tour stopped: {reason}")

    def wait_until(self, signal: SignalInstance, is_done: Callable[[], bool]) -> None:
        """Wait for signals until a condition is true."""
        while not is_done():
            self.wait(signal, lambda: None)

    def edit(self, change: Change) -> None:
        """Send an edit and wait for its answer."""
        answered = _Answered()
        self.wait(
            answered.got,
            lambda: self.state.edit(change, lambda value: answered.got.emit()),
        )

    def settle(self) -> None:
        """Process pending layouts and paints."""
        for _ in range(3):
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
            QCoreApplication.processEvents()

    def close(self) -> None:
        """Close the window and stop the engine."""
        client = self.state.client
        for run in self.state.runs:  # still running if the tour failed
            self.state.cancel(run)
        self.wait_until(self.state.runs_changed, lambda: not self.state.is_busy)
        if client.is_running:
            self.wait(client.engine_stopped, self.window.close)
        self.settle()
        self.window.deleteLater()
        self.settle()

    def _on_error_posted(self, error: ErrorInfo) -> None:
        self._errors.append(error.message)

    def _save(self, name: str, scheme: Scheme, dialog: QWidget | None) -> None:
        if dialog is not None:
            self._centre(dialog)
        picture = self.window.grab()
        if dialog is not None:
            _lay_over(picture, dialog)
        file = self._out / f"{self._numbers.get(name, 0):02d}-{name}-{scheme}.png"
        if not picture.save(str(file)):
            raise ResourceError(f"The picture {file} can't be written.")
        self.pictures.append(file)

    def _centre(self, dialog: QWidget) -> None:
        """Move a dialog to the centre of the window, independent of the screen."""
        frame = dialog.frameGeometry()
        frame.moveCenter(self.window.geometry().center())
        dialog.move(frame.topLeft())
        self.settle()


def _lay_over(picture: QPixmap, dialog: QWidget) -> None:
    """Paint a dialog over the centre of the dimmed window."""
    painter = QPainter(picture)
    shot = dialog.grab()
    place = QPoint(
        (picture.width() - shot.width()) // 2, (picture.height() - shot.height()) // 2
    )
    painter.drawPixmap(place, shot)
    painter.setPen(QColor(128, 128, 128, 120))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(place.x() - 1, place.y() - 1, shot.width() + 1, shot.height() + 1)
    painter.end()
