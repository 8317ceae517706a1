"""A client that makes changes in the project itself, and alignments made by hand."""

from collections.abc import Sequence

from app.engine.edits.journal import apply_edit
from app.engine.project.project import Project
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.beads import Bead, write_alignment
from app.engine.store.pairs.sets import NewPairSet, PairSetCounts
from app.errors import ErrorInfo, UserError
from app.protocol import commands, events
from app.protocol.commands import Command
from tests.views.stage import FakeClient


class EditingClient(FakeClient):
    """Makes changes as the engine makes them, in the project itself."""

    project: Project

    def _meet(self, command: Command) -> None:
        if not isinstance(command, commands.Edit):
            super()._meet(command)
            return
        changed: list[events.Event] = []
        try:
            value = apply_edit(
                self.project,
                command.change,
                lambda kind, id_: changed.append(events.Changed(kind, id_)),
            )
        except UserError as error:
            info = ErrorInfo("user", str(error))
            self.event_received.emit(events.Refused(command.ticket, info))
            return
        for event in (*changed, events.Answer(command.ticket, value)):
            self.event_received.emit(event)


def add_alignment(project: Project, shapes: Sequence[str], name: str) -> int:
    """Write beads such as "2:1 0.3": sentences of both sides, and the cosine."""
    beads, i, j = [], 0, 0
    for shape in shapes:
        sides, cosine = shape.split()
        n, m = map(int, sides.split(":"))
        score = float(cosine)
        beads.append(
            Bead(first_sentence_id(1) + i, n, first_sentence_id(2) + j, m, score, score)
        )
        i, j = i + n, j + m
    new = NewPairSet(
        name, "aligned", 1, 2, "", "", "e", "f", "distance", 0, "", None, []
    )
    n_links = sum(bead.is_link for bead in beads)
    counts = PairSetCounts(n_links, 0, "{}")
    return write_alignment(project.store, new, beads, counts, None)
