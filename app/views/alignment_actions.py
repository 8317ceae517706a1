"""What can be done in the alignment view: actions, enabled when they are possible."""

from typing import TYPE_CHECKING

from PySide6.QtGui import QAction

from app.views.widgets.controls import add_action

if TYPE_CHECKING:
    from app.views.alignment_view import AlignmentView

READING = ("next", "previous", "doubtful", "less_doubtful")


def make_actions(view: "AlignmentView") -> dict[str, QAction]:
    """Make the actions of the view, by name."""
    tr, jobs = view.tr, view.jobs
    made = {
        "align": add_action(
            view,
            tr("Align documents…"),
            jobs.ask_alignment,
            keys="Ctrl+Shift+A",
            hint=tr("Link the sentences of two texts that say the same in order."),
        )
    }
    return made | _make_moving(view) | _make_editing(view) | _make_keeping(view)


def list_keys(
    todo: dict[str, QAction], view: "AlignmentView"
) -> list[tuple[QAction, str]]:
    """Give the keys that are shown below the board, with short words."""
    tr = view.tr
    return [
        (todo["next"], tr("next")),
        (todo["doubtful"], tr("least confident")),
        (todo["confirm"], tr("confirm")),
        (todo["split"], tr("split")),
        (todo["merge"], tr("merge")),
        (todo["unlink"], tr("no link")),
        (todo["source_in"], tr("longer source")),
        (todo["target_in"], tr("longer target")),
    ]


def refresh_actions(todo: dict[str, QAction], view: "AlignmentView") -> None:
    """Enable what can be done now."""
    project = view.state.project
    writable = project is not None and not project.is_read_only
    has_beads = view.row is not None and len(view.beads) > 0
    for name, action in todo.items():
        if name == "align":
            action.setEnabled(writable)
        elif name in (*READING, "review"):
            action.setEnabled(has_beads)
        else:
            action.setEnabled(has_beads and writable)


def _make_moving(view: "AlignmentView") -> dict[str, QAction]:
    tr = view.tr
    return {
        "next": add_action(
            view,
            tr("Next link"),
            lambda: view.step_by(1),
            keys="J",
            hint=tr("Go to the next link (also by the arrows)."),
        ),
        "previous": add_action(
            view,
            tr("Previous link"),
            lambda: view.step_by(-1),
            keys="K",
            hint=tr("Go to the link before (also by the arrows)."),
        ),
        "doubtful": add_action(
            view,
            tr("Go to the least confident link"),
            lambda: view.go_to_doubtful(1),
            keys="L",
            hint=tr(
                "Go to the least confident link that nobody has judged; again: on."
            ),
        ),
        "less_doubtful": add_action(
            view,
            tr("Back to the less confident link"),
            lambda: view.go_to_doubtful(-1),
            keys="Shift+L",
            hint=tr("Go back to the link that is less confident."),
        ),
    }


def _make_editing(view: "AlignmentView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    return {
        "confirm": add_action(
            view,
            tr("Confirm the link"),
            jobs.confirm,
            keys="A",
            hint=tr("Say that the link is right, and go on to the next."),
        ),
        "split": add_action(
            view,
            tr("Split the link"),
            jobs.split,
            keys="S",
            hint=tr("Split the link in the middle of both sides."),
        ),
        "merge": add_action(
            view,
            tr("Merge the link with the next"),
            jobs.merge,
            keys="M",
            hint=tr("Make one link of this one and the next."),
        ),
        "unlink": add_action(
            view,
            tr("Take the link away"),
            jobs.unlink,
            keys="U",
            hint=tr("Let the sentences of both sides stand without a translation."),
        ),
    } | _make_boundaries(view)


def _make_boundaries(view: "AlignmentView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    more = tr("Take the next link's first sentence on this side into this one.")
    fewer = tr("Give this link's last sentence on this side to the next one.")
    return {
        "source_in": add_action(
            view,
            tr("Move the end of the source down"),
            lambda: jobs.move("source", 1),
            keys="Shift+Down",
            hint=more,
        ),
        "source_out": add_action(
            view,
            tr("Move the end of the source up"),
            lambda: jobs.move("source", -1),
            keys="Shift+Up",
            hint=fewer,
        ),
        "target_in": add_action(
            view,
            tr("Move the end of the target down"),
            lambda: jobs.move("target", 1),
            keys="Ctrl+Down",
            hint=more,
        ),
        "target_out": add_action(
            view,
            tr("Move the end of the target up"),
            lambda: jobs.move("target", -1),
            keys="Ctrl+Up",
            hint=fewer,
        ),
    }


def _make_keeping(view: "AlignmentView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    return {
        "review": add_action(
            view,
            tr("Review the links"),
            jobs.review,
            keys="Ctrl+Return",
            hint=tr("Judge the links one after the other."),
        ),
        "export": add_action(
            view,
            tr("Export the links…"),
            jobs.export,
            keys="Ctrl+E",
            hint=tr("Write the links as a translation memory or a table."),
        ),
        "rename": add_action(
            view,
            tr("Rename the alignment…"),
            jobs.rename,
            keys="F2",
            hint=tr("Give the alignment another name."),
        ),
        "remove": add_action(
            view,
            tr("Delete the alignment"),
            jobs.remove,
            hint=tr("Delete the alignment; this can be undone."),
        ),
    }
