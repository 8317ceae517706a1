"""What the annotator does to the pair under judgement."""

from typing import Any, Literal

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.engine.store.review_rows import list_tags
from app.pair_changes import JudgePairs, SwapRunnerUp, Verdict
from app.views.panels.opinions_bar import Opinion
from app.views.panels.pair_page import PairPage
from app.views.review_desk import ReviewDesk
from app.views.review_dialogs import NoteDialog, RangeDialog, TagsDialog


class ReviewJudging(QObject):
    """Makes changes of keys; each is shown at once and saved a moment later."""

    def __init__(self, desk: ReviewDesk, page: PairPage, parent: QWidget):
        super().__init__(parent)
        self._desk, self._page, self._view = desk, page, parent
        page.edited.connect(self._on_edited)
        page.opinions.chosen.connect(self._on_opinion_chosen)

    def accept(self) -> None:
        """Say that the pair is a translation, and go on."""
        self._judge("accept")

    def reject(self) -> None:
        """Say that it is none, and go on."""
        self._judge("reject")

    def skip(self) -> None:
        """Say that nobody can tell, and go on."""
        self._judge("skip")

    def flag(self) -> None:
        """Say that it is to be looked at again, and go on."""
        self._judge("flag")

    def take_back(self) -> None:
        """Say that the pair is not judged."""
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

    def _on_opinion_chosen(self, opinion: Opinion) -> None:
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
