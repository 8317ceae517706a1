"""An open project, with the encoder and vectors that stay loaded."""

import logging
from collections.abc import Callable
from typing import Any, cast

from sqlalchemy import select

from app.engine.edits.creations import read_journal_end, record_creation
from app.engine.edits.encoders import keep_encoder
from app.engine.edits.journal import apply_edit
from app.engine.process.queries import answer_query
from app.engine.project.project import Project, back_up, create_project, open_project
from app.engine.project.runs import RecordingSink, perform_run
from app.engine.runtime.report import Report, ReportSink
from app.engine.search.session import SearchSession
from app.engine.store import schema
from app.engine.store.schema_migration import schema_of
from app.errors import ResourceError
from app.params.base import TaskParams
from app.params.projects import CopyClean
from app.protocol.answers.edits import EditAnswer
from app.protocol.base import BaseQuery
from app.protocol.commands import OpenProject
from app.protocol.edits import Change
from app.protocol.edits.alignments import AlignmentChange
from app.protocol.edits.general import Redo
from app.protocol.queries import Query

log = logging.getLogger("store")


class ProjectSession:
    """An open project, its loaded encoder and mapped vectors."""

    def __init__(self, project: Project):
        self.project = project
        self._search = SearchSession(project)

    @property
    def schema(self) -> int:
        """The project's format."""
        return schema_of(self.project.folder, immutable=self.project.is_read_only)

    @property
    def interrupted(self) -> list[int]:
        """Ids of the runs that can be resumed."""
        query = (
            select(schema.run.c.id)
            .where(schema.run.c.state == "interrupted")
            .order_by(schema.run.c.id)
        )
        with self.project.store.connect() as connection:
            return list(connection.scalars(query))

    def record(self, run: int, sink: ReportSink) -> RecordingSink:
        """Wrap a sink so that it also writes metrics to the store."""
        return RecordingSink(self.project, run, sink)

    def perform(
        self, params: TaskParams, report: Report, device: str
    ) -> dict[str, Any]:
        """Perform a run; Undo deletes its result if that is the newest change."""
        begun = read_journal_end(self.project)
        result = perform_run(self.project, params, report, device=device)
        if record_creation(self.project, params, result, begun):
            report.changed("edit", 0)
        return result

    def ask(self, query: Query, report: Report) -> object:
        """Return the answer to a query; `report` cancels it when a newer one came."""
        return answer_query(self._search, cast("BaseQuery[object]", query), report)

    def edit(self, change: Change, changed: Callable[[str, int], None]) -> EditAnswer:
        """Apply an edit; the links that it made are scored afterwards."""
        pairs: list[int] = []

        def _note(kind: str, id_: int) -> None:
            pairs.extend([id_] if kind == "pair" else [])
            if kind == "sentence":  # data read from the old text
                self._search.forget_caches()
            changed(kind, id_)

        answer = apply_edit(self.project, change, _note)
        if pairs and isinstance(change, AlignmentChange | Redo):
            from app.engine.alignment.manual_scores import score_manual_links

            for id_ in score_manual_links(self.project, pairs, self._search.encoder):
                changed("pair", id_)
        return answer

    def back_up(self) -> None:
        """Make today's backup; a full disk is logged as a warning."""
        if self.project.is_read_only:
            return
        try:
            back_up(self.project.folder)
        except ResourceError as error:
            log.warning("%s", error)

    def close(self) -> None:
        """Close the project."""
        self._search.forget_caches()
        self.project.close()


def open_session(command: OpenProject, report: Report) -> ProjectSession:
    """Open an existing project, a new one, the demo, or a copy of another's data."""
    folder, mode = command.path, command.mode
    holder = "the Isogloss window"
    if mode == "create":
        return ProjectSession(create_project(folder, holder=holder))
    notices: list[str] = []
    if mode == "copy" and command.source is not None:
        from app.engine.tasks.copy_clean import copy_clean

        params = CopyClean(source=command.source, out=folder)
        notices.append(copy_clean(None, params, report).message)
    if mode in ("demo", "samples"):
        from app.engine.demo import build_demo, build_from_samples

        build = build_demo if mode == "demo" else build_from_samples
        folder = build(folder, report)
    project = open_project(folder, holder=holder)
    project.notices.extend(notices)
    keep_encoder(project)
    return ProjectSession(project)
