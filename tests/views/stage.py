"""A stage for views: a project made by hand, and an engine that answers as told."""

import atexit
import shutil
import tempfile
import time
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
from PySide6.QtCore import QBuffer, QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QAbstractScrollArea, QApplication
from sqlalchemy import insert, text

from app.engine.project.known_projects import remember
from app.engine.project.project import create_project, open_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.words.keyword_index import keyword_text
from app.errors import ErrorInfo
from app.protocol import commands, events
from app.protocol.base import answer_type
from app.protocol.commands import Command
from app.protocol.edits import Change
from app.protocol.queries.search import NearestQuery
from app.settings import Settings
from app.views.client.engine_client import EngineClient
from app.views.client.state import AppState
from app.views.widgets.theme import Theme

Answerer = Callable[[Any], object]
CORPORA: dict[str, tuple[str, list[str]]] = {
    "Harbour letters": (
        "en",
        [
            "The wind has been in the north-west since noon.",
            "The ferry will not sail tomorrow because of the storm.",
            "So we are staying one more night.",
        ],
    ),
    "Hafenbriefe": (
        "de",
        [
            "Der Wind dreht seit Mittag auf Nordwest.",
            "Wegen des Sturms fährt die Fähre morgen nicht.",
            "Wir bleiben also noch eine Nacht.",
        ],
    ),
    "رسائل الميناء": (
        "ar",
        [
            "الريح شمالية غربية منذ الظهر.",
            "لن تبحر العبّارة غدًا بسبب العاصفة.",
            "لذلك سنبقى ليلة أخرى.",
        ],
    ),
    "港の手紙": (
        "ja",
        [
            "昼から北西の風が吹いている。",
            "嵐のため、明日はフェリーが出ません。",
            "だからもう一晩泊まります。",
        ],
    ),
}
EDIT_ANSWER = {"id": 7, "text": "", "can_undo": True, "can_redo": False}
N = 3  # sentences of each corpus


def selected(state: AppState) -> int | None:
    """Return the selected sentence; mypy takes an attribute to stay as asserted."""
    return state.selection


class FakeClient(QObject):
    """Stands where the engine's client stands; answers come in the next pause."""

    event_received = Signal(object)
    engine_started = Signal()
    engine_stopped = Signal(str)
    log_received = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[Command] = []
        self.answers: dict[type, Answerer] = {}
        self.reopen: commands.OpenProject | None = None
        self.is_running, self.is_quitting = True, False
        self.last_lines: list[str] = []
        self._ticket = 0

    def next_ticket(self) -> int:
        self._ticket += 1
        return self._ticket

    def send(self, command: Command) -> None:
        self.sent.append(command)
        QTimer.singleShot(0, self, lambda: self._meet(command))

    def changes(self) -> list[Change]:
        """Return the changes that were sent."""
        return [c.change for c in self.sent if isinstance(c, commands.Edit)]

    def queries(self, kind: type) -> list[Any]:
        """Return the queries of a kind that were sent."""
        asked = [c.query for c in self.sent if isinstance(c, commands.Ask)]
        return [query for query in asked if isinstance(query, kind)]

    def runs(self) -> list[Any]:
        """Return the params of the runs that were sent."""
        return [c.params for c in self.sent if isinstance(c, commands.Run)]

    def _meet(self, command: Command) -> None:
        match command:
            case commands.OpenProject():
                event: events.Event = events.Opened(
                    command.ticket, command.path, 1, False, [], []
                )
            case commands.Ask():
                answerer = self.answers.get(type(command.query), _ignore)
                value = answerer(command.query)
                if isinstance(value, ErrorInfo):
                    event = events.Refused(command.ticket, value)
                else:
                    event = events.Answer(command.ticket, msgspec.to_builtins(value))
            case commands.Run():
                run = command.resume or 100 + command.ticket
                event = events.Accepted(command.ticket, run)
            case commands.Cancel() | commands.Steer() | commands.Quit():
                return
            case commands.CloseProject():
                event = events.Answer(command.ticket, None)
            case commands.RenameProject():
                command.path.rename(command.target)
                event = events.Answer(command.ticket, None)
            case commands.Edit():
                event = events.Answer(command.ticket, EDIT_ANSWER)
        self.event_received.emit(event)


def _ignore(query: Any) -> dict[str, Any] | ErrorInfo:
    """Answer a query that a test does not prepare an answer for."""
    kind: Any = type(query)
    if answer_type(kind) == dict[str, Any]:
        return {}
    return ErrorInfo("superseded", "The test has no answer.")


class Stage:
    """A state with an open project, and what it sent."""

    def __init__(self, folder: Path, client: FakeClient | None = None):
        self.client = client or FakeClient()
        self.state = AppState(cast(EngineClient, self.client))
        self.folder = folder
        application = cast(QApplication, QApplication.instance())
        self.theme = Theme(application, Settings(theme="light"))

    def open(self, qtbot: Any) -> None:
        """Open the project and wait until it is open."""
        with qtbot.waitSignal(self.state.project_opened):
            self.state.open_project(self.folder)

    def close(self) -> None:
        """Close the connections and end the state's timers."""
        if self.state.project is not None:
            self.state.project.close()
        self.state.deleteLater()


def build_project(
    folder: Path,
    corpora: dict[str, tuple[str, list[str]]] | None = None,
    *,
    is_encoded: bool = True,
) -> Path:
    """Make a project of corpora that are lists of sentences, aligned line by line."""
    content = CORPORA if corpora is None else corpora

    def build(template: Path) -> None:
        _write_project(template, content, is_encoded=is_encoded)

    return copy_built(folder, build, key=(repr(content), is_encoded))


def copy_built(
    folder: Path, build: Callable[[Path], object], *, key: Hashable = None
) -> Path:
    """Make a project as a copy of one that is built once.

    A copy takes a twentieth of the time of a new project with its rows.

    Args:
        folder: of the copy.
        build: makes the project in a folder.
        key: of what it makes; None: `build` itself.
    """
    template = _BUILT.get(key or build)
    if template is None:
        template = Path(tempfile.mkdtemp(prefix="isogloss-built-")) / "p.isogloss"
        atexit.register(shutil.rmtree, template.parent, ignore_errors=True)
        build(template)
        _BUILT[key or build] = template
    shutil.copytree(template, folder, dirs_exist_ok=True)
    remember(folder)
    return folder


_BUILT: dict[Hashable, Path] = {}  # projects that are copied


def _write_project(
    folder: Path, content: dict[str, tuple[str, list[str]]], *, is_encoded: bool
) -> None:
    project = create_project(folder)
    with project.store.begin() as connection:
        for number, (name, (language, texts)) in enumerate(content.items(), 1):
            connection.execute(
                insert(schema.corpus), _corpus(number, name, language, texts)
            )
            if texts:
                rows = _sentences(number, language, texts)
                connection.execute(insert(schema.sentence), rows)
                connection.execute(
                    text("INSERT INTO sentence_words(rowid, text) VALUES (:id, :text)"),
                    [row | {"text": keyword_text(row["text"])} for row in rows],
                )
            if is_encoded:
                connection.execute(
                    insert(schema.embedding), _embedding(number, len(texts))
                )
    project.close()


def link(store_folder: Path, pairs: Sequence[tuple[int, int]]) -> None:
    """Show that sentences are translations of each other."""
    from app.engine.project.project import open_project

    with open_project(store_folder) as project, project.store.begin() as connection:
        connection.execute(
            insert(schema.link),
            [{"source_id": a, "target_id": b, "kind": "imported"} for a, b in pairs],
        )


def add_document(folder: Path, place: tuple[int, int], name: str) -> None:
    """Put one sentence, named by corpus and position, into a document."""
    row = {"corpus_id": place[0], "first": place[1], "n_sentences": 1, "name": name}
    with open_project(folder) as project, project.store.begin() as connection:
        connection.execute(insert(schema.document).values(**row))


def sentence_id(corpus: int, position: int) -> int:
    """Return the id of a sentence."""
    return first_sentence_id(corpus) + position


def nearest(query: NearestQuery) -> dict[str, Any]:
    """Answer with the second sentence of every corpus wanted."""
    hits = [
        {
            "sentence": sentence_id(corpus, 1),
            "score": 0.95 - 0.1 * corpus,
            "language": language,
        }
        for corpus, (language, _) in enumerate(CORPORA.values(), 1)
        if not query.languages or language in query.languages
    ]
    return {"hits": hits, "n_searched": 12, "elapsed_s": 0.0312, "not_encoded": []}


def _corpus(
    number: int, name: str, language: str, texts: Sequence[str]
) -> dict[str, Any]:
    return {
        "id": number,
        "name": name,
        "language": language,
        "language_given": language,
        "state": "ready",
        "n_sentences": len(texts),
        "created_at": time.time(),
        "source": f"/home/me/{name}.txt",
    }


def _sentences(
    number: int, language: str, texts: Sequence[str]
) -> list[dict[str, Any]]:
    return [
        {
            "id": sentence_id(number, position),
            "text": text,
            "language": language,
            "line": position + 1,
            "length": len(text),
            "hash": hash(text) >> 1,
        }
        for position, text in enumerate(texts)
    ]


def _embedding(number: int, n: int) -> dict[str, Any]:
    return {
        "corpus_id": number,
        "encoder": "isogloss-2",
        "fingerprint": "f" * 64,
        "dim": 256,
        "n_rows": n,
        "n_done": n,
        "array": f"{number}",
        "created_at": time.time(),
    }


def painted_svg(area: QAbstractScrollArea) -> str:
    """Return what an area paints as SVG, with its texts as they are drawn."""
    drawn, generator = QBuffer(), QSvgGenerator()
    generator.setOutputDevice(drawn)
    painter = QPainter(generator)
    area.viewport().render(painter, QPoint())
    painter.end()
    return bytes(drawn.data().data()).decode()
