"""Actions of the review view: judge pairs, move, exchange packages."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.engine.store.pairs.history import list_tags
from app.params.pairs import ExportPackage, MergePackage, OpenPackage, ReturnPackage
from app.protocol.edits.pairs import JudgePairs, SwapRunnerUp, Verdict
from app.views.review.dialogs import NoteDialog, RangeDialog, TagsDialog
from app.views.review.judgements import AnnotatorJudgement
from app.views.review.pair_page import PairPage
from app.views.review.session import ReviewSession
from app.views.widgets.controls import add_action
from app.views.widgets.task_dialog import TaskDialog

if TYPE_CHECKING:
    from app.views.review.view import ReviewView

# They change a pair; the others only look, or are about the whole set.
_PAIR_ACTIONS = "accept reject skip flag edit swap swap_source note tags take_back"
PAIR_ACTIONS = frozenset(
    [*_PAIR_ACTIONS.split(), *(f"take_{number}" for number in (1, 2, 3, 4))]
)
PAIR_SET_ACTIONS = frozenset(
    ["judge_range", "hand_over", "hand_back", "reload", "show_conflicts"]
)
WRITE_ACTIONS = PAIR_ACTIONS | {
    "judge_range",
    "hand_over",
    "take_package",
    "merge_package",
}


def make_actions(
    view: "ReviewView", judging: "ReviewController", packages: "PackageController"
) -> dict[str, QAction]:
    """Make the view's actions, by name: each calls the method of its name."""
    makers = (
        (judging, _list_judgement_actions()),
        (view, _list_navigation_actions()),
        (packages, _list_package_actions()),
        (view, _list_other_actions()),
    )
    return {
        name: add_action(view, text, getattr(owner, name), keys=keys, hint=hint)
        for owner, actions in makers
        for name, text, keys, hint in actions
    }


def refresh_actions(
    todo: dict[str, QAction], *, can_write: bool, has_pair: bool, has_mining: bool
) -> None:
    """Enable what can be done now."""
    for name, action in todo.items():
        is_able = (can_write or name not in WRITE_ACTIONS) and (
            (has_pair or name not in PAIR_ACTIONS)
            and (has_mining or name not in PAIR_SET_ACTIONS)
        )
        if name != "send_again" and action.isEnabled() != is_able:
            action.setEnabled(is_able)


def list_key_hints(todo: dict[str, QAction]) -> list[tuple[QAction, str]]:
    """Return the actions whose keys stand below a pair, with short words."""
    return [
        (todo["accept"], _tr("accept")),
        (todo["reject"], _tr("reject")),
        (todo["skip"], _tr("skip")),
        (todo["flag"], _tr("flag")),
        (todo["edit"], _tr("edit")),
        (todo["swap"], _tr("runner-up")),
        (todo["note"], _tr("note")),
        (todo["tags"], _tr("tags")),
        (todo["next_pair"], _tr("next")),
        (todo["previous_pair"], _tr("previous")),
    ]


def _list_judgement_actions() -> list[tuple[str, str, str, str]]:
    return [
        ("accept", _tr("Accept the pair"), "A", _tr("It is a translation: go on.")),
        ("reject", _tr("Reject the pair"), "R", _tr("It is none: go on.")),
        ("skip", _tr("Skip the pair"), "Space", _tr("Nobody can tell: go on.")),
        ("flag", _tr("Flag the pair"), "F", _tr("Look at it again later: go on.")),
        (
            "edit",
            _tr("Edit both texts"),
            "E",
            _tr("Write the texts anew for this pair; the corpora stay as they are."),
        ),
        (
            "swap",
            _tr("Swap in the runner-up"),
            "X",
            _tr("Put the second-best target in the place of the first, or back."),
        ),
        (
            "swap_source",
            _tr("Swap in the target's other source"),
            "Shift+X",
            _tr("Put the target's second-best source in the place of the first."),
        ),
        ("note", _tr("Write a note on the pair"), "N", _tr("Add a note to the pair.")),
        ("tags", _tr("Tag the pair"), "T", _tr("Give the pair tags, or take them.")),
        (
            "take_back",
            _tr("Take the verdict back"),
            "Backspace",
            _tr("The pair counts as not judged again."),
        ),
        (
            "judge_range",
            _tr("Judge all pairs of a range…"),
            "Ctrl+B",
            _tr("Accept or reject all pairs above a score at once."),
        ),
        *(
            (
                f"take_{number}",
                _tr("Let annotator {n}'s judgement hold").format(n=number),
                str(number),
                _tr("Settle a conflict by taking what this annotator said."),
            )
            for number in (1, 2, 3, 4)
        ),
    ]


def _list_navigation_actions() -> list[tuple[str, str, str, str]]:
    return [
        ("next_pair", _tr("Next pair"), "J", _tr("Go on without judging.")),
        ("previous_pair", _tr("Previous pair"), "K", _tr("Go back by one pair.")),
        ("first_pair", _tr("First pair"), "Home", _tr("Go to the queue's beginning.")),
        (
            "reload",
            _tr("Read the queue again"),
            "F5",
            _tr("Take new pairs and orders."),
        ),
        (
            "find_pairs",
            _tr("Find in the pairs"),
            "Ctrl+F",
            _tr("Only pairs with a text on either side."),
        ),
        (
            "show_conflicts",
            _tr("Show conflicts of annotators"),
            "",
            _tr("Make a queue of the pairs that annotators do not agree on."),
        ),
    ]


def _list_package_actions() -> list[tuple[str, str, str, str]]:
    return [
        (
            "hand_over",
            _tr("Hand pairs to another annotator…"),
            "",
            _tr("Write a package of pairs that somebody else judges."),
        ),
        (
            "take_package",
            _tr("Open a package to judge…"),
            "",
            _tr("Take pairs that somebody handed over, to judge them here."),
        ),
        (
            "hand_back",
            _tr("Hand the judgements back…"),
            "",
            _tr("Write the judgements on pairs that somebody handed over."),
        ),
        (
            "merge_package",
            _tr("Merge a judged package…"),
            "",
            _tr("Take in what another annotator judged."),
        ),
    ]


def _list_other_actions() -> list[tuple[str, str, str, str]]:
    return [
        (
            "search_source",
            _tr("Find nearest sentences of the source"),
            "",
            _tr("Search for what is nearest to the source sentence."),
        ),
        (
            "cite",
            _tr("Copy the pair with its sources"),
            "Ctrl+C",
            _tr("Copy both texts as imported, each with where it stands."),
        ),
        ("mine", _tr("Mine pairs…"), "", _tr("Show where pairs are mined.")),
        (
            "send_again",
            _tr("Send unsaved judgements again"),
            "",
            _tr("Try to save what is not saved yet."),
        ),
    ]


def _tr(text: str) -> str:
    return QCoreApplication.translate("review", text)


class ReviewController(QObject):
    """Makes changes of keys; each is shown at once and saved a moment later."""

    def __init__(self, desk: ReviewSession, page: PairPage, parent: QWidget):
        super().__init__(parent)
        self._desk, self._page, self._view = desk, page, parent
        page.edited.connect(self._on_edited)
        page.opinions.chosen.connect(self._on_opinion_chosen)

    def accept(self) -> None:
        """Show that the pair is a translation, and go on."""
        self._judge("accept")

    def reject(self) -> None:
        """Show that it is none, and go on."""
        self._judge("reject")

    def skip(self) -> None:
        """Show that nobody can tell, and go on."""
        self._judge("skip")

    def flag(self) -> None:
        """Show that it is to be looked at again, and go on."""
        self._judge("flag")

    def take_back(self) -> None:
        """Show that the pair is not judged."""
        pair = self._desk.shown
        if pair is not None and pair.verdict:
            self._change(pair.id, verdict="")

    def edit(self) -> None:
        """Let both texts be written anew."""
        if self._desk.shown is not None:
            self._page.sides.begin_edit()

    def swap(self) -> None:
        """Put the runner-up in the place of the target, or back."""
        self._swap("target")

    def swap_source(self) -> None:
        """Put the target's other source in the place of the source, or back."""
        self._swap("source")

    def note(self) -> None:
        """Let a note be written."""
        pair = self._desk.shown
        if pair is None:
            return
        old = pair.judgement.note if pair.judgement else ""

        def _save(text: str) -> None:
            if text != old:
                self._change(pair.id, note=text)

        NoteDialog(old, _save, self._view.window()).open()

    def tags(self) -> None:
        """Let tags be given and taken."""
        pair, mining = self._desk.shown, self._desk.mining
        project = self._desk.state.project
        if pair is None or mining is None or project is None:
            return
        old = list(pair.judgement.tags) if pair.judgement else []

        def _save(tags: list[str]) -> None:
            added = tuple(tag for tag in tags if tag not in old)
            removed = tuple(tag for tag in old if tag not in tags)
            if added or removed:
                self._change(pair.id, add_tags=added, remove_tags=removed)

        known = list_tags(project.store, mining.id)
        TagsDialog(old, known, _save, self._view.window()).open()

    def judge_range(self) -> None:
        """Judge all pairs of a range; their number is said before."""
        pair, mining = self._desk.shown, self._desk.mining
        if mining is None:
            return
        start = (pair.texts.pair.score if pair is not None else None, None)
        state, window = self._desk.state, self._view.window()
        RangeDialog(state, mining.id, start, self._desk.send, window).open()

    def take_1(self) -> None:
        """Let the first annotator's judgement hold."""
        self._page.opinions.take(0)

    def take_2(self) -> None:
        """Let the second annotator's judgement hold."""
        self._page.opinions.take(1)

    def take_3(self) -> None:
        """Let the third annotator's judgement hold."""
        self._page.opinions.take(2)

    def take_4(self) -> None:
        """Let the fourth annotator's judgement hold."""
        self._page.opinions.take(3)

    # --- private ---

    def _judge(self, verdict: Verdict) -> None:
        pair, queue = self._desk.shown, self._desk.queue
        if pair is not None and not self._page.sides.is_editing:
            self._desk.send(JudgePairs(pairs=(pair.id,), verdict=verdict))
            queue.go(queue.place + 1)

    def _change(self, pair_id: int, **values: Any) -> None:
        """Send what is said of a pair, and show it."""
        self._desk.send(JudgePairs(pairs=(pair_id,), **values))
        self._desk.pair_changed.emit()

    def _swap(self, side: Literal["source", "target"]) -> None:
        pair = self._desk.shown
        if pair is None:
            return
        row = pair.texts.pair
        if (row.runner_up_id if side == "target" else row.reverse_id) is None:
            words = self.tr("This pair has no runner-up to swap in.")
            self._desk.state.notice_posted.emit(words)
            return
        self._desk.send(SwapRunnerUp(pair=pair.id, side=side))
        self._desk.pair_changed.emit()

    def _on_edited(self, source: str, target: str) -> None:
        """Send the texts that are others now; one as imported is sent as empty."""
        pair = self._desk.shown
        if pair is None:
            return
        texts = {
            f"{name}_text": "" if text == side.imported else text
            for name, text, side in (
                ("source", source, pair.source),
                ("target", target, pair.target),
            )
            if text != side.text
        }
        if texts:
            self._change(pair.id, **texts)

    def _on_opinion_chosen(self, opinion: AnnotatorJudgement) -> None:
        """Let what an annotator said hold, and go on."""
        pair, queue = self._desk.shown, self._desk.queue
        if pair is None:
            return
        self._change(
            pair.id,
            verdict=opinion.verdict,
            source_text=opinion.source_text or "",
            target_text=opinion.target_text or "",
            note=opinion.note,
        )
        queue.go(queue.place + 1)


PACKAGE_ENDING = ".pairs.gz"


class PackageController:
    """Asks what a package's task needs to know, and begins it."""

    def __init__(self, desk: ReviewSession, view: QWidget):
        self._desk, self._view = desk, view

    def hand_over(self) -> None:
        """Write pairs of the set under review for another annotator."""
        mining = self._desk.mining
        if mining is not None:
            out = _suggest_file(mining.name, "to-judge")
            self._open(ExportPackage(pairs=str(mining.id), out=out), "pairs")

    def hand_back(self) -> None:
        """Write the judgements on pairs that somebody handed over."""
        mining = self._desk.mining
        if mining is not None:
            out = _suggest_file(mining.name, "judged")
            self._open(ReturnPackage(pairs=str(mining.id), out=out), "pairs")

    def take_package(self) -> None:
        """Take pairs that somebody handed over, to judge them."""
        self._open(OpenPackage)

    def merge_package(self) -> None:
        """Take in what another annotator judged."""
        self._open(MergePackage)

    def _open(
        self,
        task: ExportPackage | ReturnPackage | type[OpenPackage] | type[MergePackage],
        *skip: str,
    ) -> None:
        state, window = self._desk.state, self._view.window()
        if isinstance(task, type):
            TaskDialog(state, task, parent=window).open()
        else:
            TaskDialog(state, type(task), task, skip=skip, parent=window).open()


def _suggest_file(name: str, what: str) -> Path:
    """Offer a file in the home folder that is not there yet."""
    stem = re.sub(r"[^\w-]+", "-", name).strip("-") or "pairs"
    for number in range(1, 1000):
        mark = f"-{number}" if number > 1 else ""
        file = Path.home() / f"{stem}-{what}{mark}{PACKAGE_ENDING}"
        if not file.exists():
            return file
    return Path.home() / f"{stem}-{what}{PACKAGE_ENDING}"
