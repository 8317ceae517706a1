"""Actions of the review view: judge pairs, move through the queue, search."""

from functools import partial
from typing import Any, Literal, get_args

import msgspec
from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.engine.store.pairs.history import list_tags
from app.engine.store.pairs.judgements import read_flagged_by_others
from app.engine.store.sentences import read_sentences
from app.errors import ErrorInfo
from app.params.pairs import JudgementFilter, WantedVerdict
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits.pairs import (
    CopyJudgements,
    JudgePairs,
    SwapRunnerUp,
    Verdict,
)
from app.views.review.dialogs import PairNoteDialog, RangeDialog, TagsDialog
from app.views.review.header import QueueBar
from app.views.review.judgements import MAX_ANNOTATORS, AnnotatorJudgement
from app.views.review.pair_page import PairPage
from app.views.review.queue import QueueSettings
from app.views.review.session import ReviewSession
from app.views.review.threshold import SuggestedThresholdPanel
from app.views.widgets.choice_titles import choice_title
from app.views.widgets.controls import add_action, add_synonyms, group_actions
from app.views.widgets.dialogs import copy_text
from app.views.widgets.hits import cite
from app.views.widgets.pair_export_dialog import (
    PairChoice,
    PairExportDialog,
    PairFilter,
)
from app.views.widgets.unlinking import add_unlinking

_tr = partial(QCoreApplication.translate, "review")

KEEP_ACTIONS = tuple(f"keep_{number}" for number in range(1, MAX_ANNOTATORS + 1))
# Actions that change the current pair.
PAIR_ACTIONS = frozenset(
    {"accept", "reject", "skip", "flag", "clear_verdict", *KEEP_ACTIONS}
    | {"edit", "swap", "swap_source", "note", "tags"}
)
READ_ACTIONS = frozenset(("search_source", "cite"))  # need a pair but don't change it
PAIR_SET_ACTIONS = frozenset(
    {
        "judge_range",
        "copy_judgements",
        "unlink_rejected",
        "reload",
        "show_conflicts",
        "export",
        "find_pairs",
    }
    | {"next_pair", "previous_pair", "first_pair", "next_unjudged"}
)
# Verdicts selected by each filter of the queue; conflicts have no verdicts.
FILTER_VERDICTS: dict[JudgementFilter, tuple[WantedVerdict, ...]] = {
    "unjudged": ("unjudged",),
    "accept": ("accept",),
    "reject": ("reject",),
    "skip": ("skip",),
    "flag": ("flag",),
    "judged": ("accept", "reject", "skip", "flag"),
    "all": ("all",),
}
Side = Literal["source", "target"]
WRITE_ACTIONS = PAIR_ACTIONS | {"judge_range", "copy_judgements", "unlink_rejected"}


class ReviewController(QObject):
    """Runs the actions on the current pair; changes show at once and are saved later.

    Attributes:
        actions: the actions of the view, by name.
    """

    range_judged = Signal(str, str)  # message and verdict, once saved
    judgements_copied = Signal(str)  # message
    unlinking_requested = Signal()

    def __init__(
        self,
        session: ReviewSession,
        page: PairPage,
        queue_bar: QueueBar,
        threshold: SuggestedThresholdPanel,
        parent: QWidget,
    ):
        super().__init__(parent)
        self._session, self._state = session, session.state
        self._page, self._queue_bar, self._parent = page, queue_bar, parent
        self._threshold = threshold
        self.actions: dict[str, QAction] = {
            **self._make_verdict_actions(),
            **self._make_edit_actions(),
            **self._make_navigation_actions(),
            **self._make_other_actions(),
        }
        self._group_actions()
        words = self.tr("tmx tsv csv xlsx translation memory save download")
        add_synonyms(self.actions["export"], words)
        page.edited.connect(self._on_edited)
        page.annotators.chosen.connect(self._on_judgement_chosen)

    @property
    def key_hints(self) -> list[tuple[QAction, str]]:
        """The actions whose shortcuts are shown below a pair, with short labels."""
        actions = self.actions
        return [
            (actions["accept"], self.tr("accept")),
            (actions["reject"], self.tr("reject")),
            (actions["skip"], self.tr("skip")),
            (actions["flag"], self.tr("flag")),
            (actions["next_pair"], self.tr("next")),
            (actions["previous_pair"], self.tr("previous")),
            (actions["edit"], self.tr("edit")),
            (actions["swap"], self.tr("runner-up")),
            (actions["note"], self.tr("note")),
            (actions["tags"], self.tr("tags")),
            (actions["next_unjudged"], self.tr("next not judged")),
        ]

    def refresh(self, *, has_pair: bool) -> None:
        """Enable the actions that are possible now."""
        can_write = self._session.state.can_write
        has_mining = self._session.mining is not None
        is_editing = self._page.text_view.is_editing
        self.actions["unlink_rejected"].setVisible(self._session.may_unlink)
        for name, action in self.actions.items():
            is_enabled = (
                (can_write or name not in WRITE_ACTIONS)
                and not (is_editing and name in PAIR_ACTIONS)
                and (has_pair or name not in PAIR_ACTIONS | READ_ACTIONS)
                and (has_mining or name not in PAIR_SET_ACTIONS)
            )
            if name != "send_again" and action.isEnabled() != is_enabled:
                action.setEnabled(is_enabled)

    # --- actions ---

    def _group_actions(self) -> None:
        """Group actions in submenus, because a flat menu would not fit on a screen."""
        for title, names in (
            (self.tr("Keep a judgement"), KEEP_ACTIONS),
            (self.tr("Edit pair"), ("edit", "swap", "swap_source", "note", "tags")),
            (
                self.tr("Go to"),
                ("next_pair", "previous_pair", "next_unjudged", "first_pair"),
            ),
        ):
            group_actions(title, [self.actions[name] for name in names])

    def _make_verdict_actions(self) -> dict[str, QAction]:
        add, tr, judge = partial(add_action, self._parent), self.tr, self._judge
        found = {
            "accept": add(
                tr("Accept pair"),
                tr("Mark the pair as a translation, and go to the next one."),
                partial(judge, "accept"),
                "A",
            ),
            "reject": add(
                tr("Reject pair"),
                tr("Mark the pair as no translation, and go to the next one."),
                partial(judge, "reject"),
                "R",
            ),
            "skip": add(
                tr("Skip pair"),
                tr(
                    "Mark the pair as undecidable, and go to the next one. A pair that "
                    "has a verdict keeps it."
                ),
                partial(judge, "skip"),
                "Space",
            ),
            "flag": add(
                tr("Flag pair"),
                tr("Mark the pair to check it later, and go to the next one."),
                partial(judge, "flag"),
                "F",
            ),
            "clear_verdict": add(
                tr("Clear verdict"),
                tr("Mark the pair as not judged."),
                self.clear_verdict,
                "Backspace",
            ),
            "judge_range": add(
                tr("Judge a score range…"),
                tr("Accept or reject all pairs in a range of scores."),
                self.judge_range,
                "Ctrl+B",
            ),
        }
        hint = tr("Resolve the conflict with this annotator's judgement.")
        for number, name in enumerate(KEEP_ACTIONS):
            text = tr("Keep annotator {n}'s judgement").format(n=number + 1)
            slot = partial(self._page.annotators.choose, number)
            found[name] = add(text, hint, slot, str(number + 1))
        return found

    def _make_edit_actions(self) -> dict[str, QAction]:
        add, tr = partial(add_action, self._parent), self.tr
        return {
            "edit": add(
                tr("Edit texts"),
                tr("Edit both texts of this pair. The corpora do not change."),
                self.edit,
                "E",
            ),
            "swap": add(
                tr("Swap in the runner-up target"),
                tr(
                    "Replace the target with the runner-up, the second-best candidate. "
                    "Repeat this to restore the target."
                ),
                partial(self._swap, "target"),
                "X",
            ),
            "swap_source": add(
                tr("Swap in the runner-up source"),
                tr(
                    "Replace the source with the runner-up, the second-best candidate. "
                    "Repeat this to restore the source."
                ),
                partial(self._swap, "source"),
                "Shift+X",
            ),
            "note": add(
                tr("Edit note…"), tr("Add or edit a note."), self.edit_note, "N"
            ),
            "tags": add(
                tr("Edit tags…"), tr("Add or remove tags."), self.edit_tags, "T"
            ),
        }

    def _make_navigation_actions(self) -> dict[str, QAction]:
        add, tr = partial(add_action, self._parent), self.tr
        queue = self._session.queue
        return {
            "next_pair": add(
                tr("Next pair"),
                tr("Go to the next pair without judging this one."),
                partial(queue.go_by, 1),
                "J",
            ),
            "previous_pair": add(
                tr("Previous pair"),
                tr("Go back one pair, also to the pairs that you have just judged."),
                self._session.go_back,
                "K",
            ),
            "next_unjudged": add(
                tr("Next pair not judged"),
                tr("Go to the next pair without a verdict."),
                self.go_to_unjudged,
                "Shift+J",
            ),
            "first_pair": add(
                tr("First pair"),
                tr("Go to the start of the queue."),
                partial(queue.go, 0),
                "Home",
            ),
            "reload": add(
                tr("Reload queue"),
                tr("Update the queue with new pairs and judgements."),
                self._session.reload,
                "F5",
            ),
            "find_pairs": add(
                tr("Find pairs"),
                tr("Show only pairs that contain a text."),
                self.find_pairs,
                "Ctrl+F",
            ),
            "show_conflicts": add(
                tr("Show conflicts between annotators"),
                tr("Show the pairs that annotators disagree on."),
                self.show_conflicts,
            ),
        }

    def _make_other_actions(self) -> dict[str, QAction]:
        add, tr = partial(add_action, self._parent), self.tr
        return {
            "search_source": add(
                tr("Search sentences similar to the source"),
                tr("Show the sentences nearest to the source sentence."),
                self.search_source,
            ),
            "cite": add(
                tr("Copy pair with its sources"),
                tr("Copy both texts as imported, with their documents and lines."),
                self.copy_with_sources,
                "Ctrl+C",
            ),
            "export": add(
                tr("Export pairs…"),
                tr("Export the pairs with their verdicts to a file."),
                self.ask_export,
                "Ctrl+E",
            ),
            "copy_judgements": add(
                tr("Copy judgements of other pair sets"),
                tr(
                    "Copy verdicts, texts, notes and tags of the same sentences in "
                    "other pair sets."
                ),
                self.copy_judgements,
            ),
            "unlink_rejected": add_unlinking(
                self._parent, self.unlinking_requested.emit
            ),
            "mine": add(tr("Mine pairs…"), tr("Open the Mine view."), self.show_mining),
            "send_again": add(
                tr("Retry saving"),
                tr("Try again to save the judgements that are not saved."),
                self._session.outbox.send_again,
            ),
        }

    def ask_export(self) -> None:
        """Ask which pairs to export (by default, accepted pairs) and how."""
        mining, settings = self._session.mining, self._session.queue.settings
        if mining is None:
            return
        choice = PairChoice(with_candidates=settings.with_candidates)
        shown, project = _describe_filter(settings), self._state.project
        if (
            settings.which == "flag"
            and project is not None
            and len(read_flagged_by_others(project.store, mining.id))
        ):
            shown = shown._replace(choice=None)  # exports contain one's own flags only
        PairExportDialog(self._state, mining, choice, self._parent, shown=shown).open()

    def copy_judgements(self) -> None:
        """Copy the judgements of the same sentences in other pair sets."""
        mining = self._session.mining
        if mining is not None:
            change = CopyJudgements(mining=mining.id)
            self._state.edit(change, self._on_copied)

    def _on_copied(self, answer: EditAnswer | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            self._state.error_posted.emit(answer)
        elif answer.id:
            self.judgements_copied.emit(answer.text)
        else:  # nothing was copied: Undo would revert an unrelated change
            self._state.notice_posted.emit(answer.text)

    # --- judging ---

    def clear_verdict(self) -> None:
        """Mark the pair as not judged."""
        pair = self._session.shown
        if pair is not None and pair.verdict:
            self._change(pair.id, verdict="")

    def edit(self) -> None:
        """Open the editor for both texts."""
        if self._session.shown is not None:
            self._page.text_view.begin_edit()

    def edit_note(self) -> None:
        """Ask for the note on the pair."""
        pair = self._session.shown
        if pair is not None:
            PairNoteDialog(self._session, pair, self._parent.window()).open()

    def edit_tags(self) -> None:
        """Ask for the tags of the pair."""
        pair, mining = self._session.shown, self._session.mining
        project = self._state.project
        if pair is None or mining is None or project is None:
            return
        known = list_tags(project.store, mining.id)
        TagsDialog(self._session, pair, known, self._parent.window()).open()

    def judge_range(self) -> None:
        """Ask for a range of scores, and judge its pairs."""
        mining = self._session.mining
        if mining is None:
            return
        settings = self._session.queue.settings
        start = (settings.lowest, settings.highest)
        if start == (None, None):
            start = (self._threshold.suggested, None)
        session, window = self._session, self._parent.window()
        dialog = RangeDialog(self._state, mining.id, start, session, window)
        dialog.judged.connect(self.range_judged)
        dialog.open()

    def _judge(self, verdict: Verdict) -> None:
        pair = self._session.shown
        if pair is None:
            return
        if verdict != "skip" or not pair.verdict:
            self._session.send(JudgePairs(pairs=(pair.id,), verdict=verdict))
        self._session.go_on()

    def _change(self, pair_id: int, **values: Any) -> None:
        """Send a change of a pair, and show it."""
        self._session.send(JudgePairs(pairs=(pair_id,), **values))
        self._session.pair_changed.emit()

    def _swap(self, side: Side) -> None:
        pair = self._session.shown
        if pair is None:
            return
        row = pair.texts.pair
        if (row.runner_up_id if side == "target" else row.reverse_id) is None:
            words = self.tr("This pair has no runner-up to swap in.")
            self._state.notice_posted.emit(words)
            return
        self._session.send(SwapRunnerUp(pair=pair.id, side=side))
        self._session.pair_changed.emit()

    def _on_edited(self, source: str, target: str) -> None:
        """Send the changed texts; an empty text restores the imported one."""
        pair = self._session.shown
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

    def _on_judgement_chosen(self, judgement: AnnotatorJudgement) -> None:
        """Adopt an annotator's judgement, and go to the next pair."""
        pair = self._session.shown
        if pair is None:
            return
        held, sides = pair.judgement, get_args(Side)
        for side in sides if held is not None else ():
            if getattr(held, f"{side}_id") != getattr(judgement, f"{side}_id"):
                self._session.send(SwapRunnerUp(pair=pair.id, side=side))
        self._change(
            pair.id,
            verdict=judgement.verdict,
            source_text=judgement.source_text or "",
            target_text=judgement.target_text or "",
            note=judgement.note,
        )
        self._session.queue.go_by(1)

    # --- navigation and search ---

    def find_pairs(self) -> None:
        """Focus the search field of the queue."""
        self._queue_bar.search_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._queue_bar.search_field.selectAll()

    def go_to_unjudged(self) -> None:
        """Go to the next pair without a verdict, if there is one in the queue."""
        if not self._session.go_to_unjudged():
            words = self.tr("The queue has no other pair that is not judged.")
            self._state.notice_posted.emit(words)

    def clear_search(self) -> None:
        """Remove the text filter of the queue."""
        self._queue_bar.clear_search()

    def show_conflicts(self) -> None:
        """Queue the pairs that annotators disagree on."""
        self._session.load_current(QueueSettings(which="conflict"))

    def show_all(self) -> None:
        """Queue all pairs, judged or not; keep the search if it finds any."""
        queue = self._session.queue
        settings = QueueSettings(which="all")
        if queue.settings.find and any(queue.counts.values()):
            settings = msgspec.structs.replace(queue.settings, which="all")
        self._session.load_current(settings)

    def show_unjudged(self) -> None:
        """Queue all pairs without a verdict."""
        self._session.load_current(QueueSettings())

    def search_source(self) -> None:
        """Search for the sentences nearest to the source sentence."""
        pair = self._session.shown
        if pair is not None and pair.source.sentences:
            self._state.view_requests.search_requested.emit(pair.source.sentences[0])

    def copy_with_sources(self) -> None:
        """Copy the sentences of the pair, each with its source."""
        pair, project = self._session.shown, self._state.project
        if pair is not None and project is not None:
            ids = [*pair.source.sentences, *pair.target.sentences]
            read = read_sentences(project.store, ids)
            copy_text(cite(project, [row for row in read if row is not None]))
            self._state.notice_posted.emit(self.tr("Pair copied with its sources."))

    def show_mining(self) -> None:
        """Open the Mine view."""
        self._state.view_requests.mining_requested.emit(None)


def _describe_filter(settings: QueueSettings) -> PairFilter:
    """Describe the filter of a queue as pairs to export."""
    words = [choice_title(settings.which, "which").lower()]
    if settings.tag:
        words.append(f"#{settings.tag}")
    if settings.lowest is not None:
        words.append(_tr("score from {score}").format(score=f"{settings.lowest:g}"))
    if settings.highest is not None:
        words.append(_tr("score to {score}").format(score=f"{settings.highest:g}"))
    if settings.find:
        words.append(_tr("with “{text}”").format(text=settings.find))
    verdicts = FILTER_VERDICTS.get(settings.which, ())
    choice = PairChoice(
        threshold=settings.lowest,
        verdicts=verdicts,
        tags=(settings.tag,) if settings.tag else (),
        with_candidates=settings.with_candidates,
    )
    is_possible = verdicts and settings.highest is None and not settings.find
    return PairFilter(", ".join(words), choice if is_possible else None)
