"""The tour's part on review: pairs judged by keys, one edited, annotators at odds."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from app.engine.store import pair_rows, rows
from app.engine.store.pair_texts import read_pair_texts
from app.pair_changes import JudgePairs, Verdict
from app.params import ExportPackage, MergePackage, OpenPackage, ReturnPackage
from app.views.review_queue import QueueChoice

if TYPE_CHECKING:
    from app.views.tour_stage import Scenes, TourStage

N_JUDGED, N_HANDED_OVER, N_ODD = 70, 40, 3
ANNOTATOR = "Anna"


class ReviewTour:
    """Goes through the review."""

    def __init__(self, stage: "TourStage", folder: Path):
        """Take a stage, and a folder for packages and for Anna's project."""
        self._stage, self._folder = stage, folder
        self._window, self._state = stage.window, stage.state

    def judge(self) -> None:
        """Judge the most telling pairs of the demo, and have Anna judge some too."""
        view = self._view(QueueChoice(order="value"))
        keys = {True: view.todo["accept"], False: view.todo["reject"]}
        for _ in range(N_JUDGED):
            pair = view.desk.shown
            if pair is None:
                break
            keys[self._is_right(pair.texts.pair)].trigger()
            self._wait_saved(view)
        self._hand_over()
        self._window.message_bar.clear()

    def scenes(self) -> "Scenes":
        """Give what there is to see."""
        return {
            "review": self._show_pair,
            "review-edit": self._show_editing,
            "review-range": self._show_range,
            "review-conflicts": self._show_conflict,
        }

    def _show_pair(self) -> None:
        view = self._view(QueueChoice(which="all"))
        self._go_to_numbers(view)

    def _show_editing(self) -> None:
        view = self._view(QueueChoice(which="all"))
        self._go_to_numbers(view)
        view.todo["edit"].trigger()
        text = view.desk.shown.target.text.replace(",", " –", 1)
        view.page.sides.target.editor.setPlainText(text)

    def _show_range(self) -> QWidget:
        view = self._view(QueueChoice(which="unjudged"))
        before = set(view.window().findChildren(QWidget, "reviewDialog"))
        view.todo["judge_range"].trigger()
        dialogs = view.window().findChildren(QWidget, "reviewDialog")
        dialog: Any = next(one for one in dialogs if one not in before)
        self._stage.wait(dialog.counted, lambda: None)
        shown: QWidget = dialog
        return shown

    def _show_conflict(self) -> None:
        view = self._view(QueueChoice(which="conflict"))
        self._wait_explained(view)
        self._stage.wait(view.side.agreement.shown, view.side.agreement.ask)

    # --- help ---

    def _view(self, choice: QueueChoice) -> Any:
        """Show the review of the mined pairs, with another queue."""
        project = self._state.project
        assert project is not None
        mining = next(row for row in project.minings if row.kind == "mined")
        self._window.show_view("review")
        view: Any = self._window.view
        queue = view.desk.queue
        if queue.is_loading:
            self._stage.wait(queue.loaded, lambda: None)
        self._stage.wait(queue.loaded, partial(view.desk.load, mining.id, choice))
        return view

    def _go_to_numbers(self, view: Any) -> None:
        """Go to the first pair whose numbers differ, and wait for its explanation."""
        queue = view.desk.queue
        while view.desk.shown is not None and not view.desk.shown.marks.has_numbers:
            queue.go(queue.place + 1)
        if view.desk.shown is None:
            queue.go(0)
        self._wait_explained(view)
        side = view.side
        self._stage.wait(side.threshold.shown, side.threshold.ask)

    def _wait_explained(self, view: Any) -> None:
        explainer, pair = view.desk.explainer, view.desk.queue.current
        self._stage.wait_until(explainer.known, lambda: explainer.get(pair) is not None)

    def _wait_saved(self, view: Any) -> None:
        outbox = view.desk.outbox
        self._stage.wait_until(outbox.changed, lambda: not outbox.unsaved)

    def _is_right(self, pair: pair_rows.PairRow) -> bool:
        project = self._state.project
        assert project is not None
        known = rows.read_translations(project.store, pair.source_id)
        return pair.target_id in [row.id for row in known]

    # --- the other annotator ---

    def _hand_over(self) -> None:
        """Hand pairs to Anna, who is of another opinion on some, and merge them."""
        project = self._state.project
        assert project is not None
        mining = next(row for row in project.minings if row.kind == "mined")
        truth = self._true_pairs(mining)
        package = self._folder / "to-judge.pairs.gz"
        judged = self._folder / "judged.pairs.gz"
        name = str(mining.id)
        self._run(
            ExportPackage(pairs=name, out=package, n=N_HANDED_OVER, which="judged")
        )
        self._open(self._folder / "anna.isogloss", "create")
        self._run(OpenPackage(package=package))
        self._judge_as_anna(truth)
        (taken,) = self._minings()
        self._run(ReturnPackage(pairs=str(taken.id), out=judged, annotator=ANNOTATOR))
        self._open(project.folder, "open")
        self._run(MergePackage(package=judged, annotator=ANNOTATOR))

    def _judge_as_anna(self, truth: set[tuple[str, str]]) -> None:
        """Judge as the truth is, save for the first pairs."""
        self._stage.wait_until(
            self._state.minings_changed, lambda: bool(self._minings())
        )
        (taken,) = self._minings()
        project = self._state.project
        assert project is not None
        ids = pair_rows.pair_ids(taken).tolist()
        for place, texts in enumerate(read_pair_texts(project.store, ids)):
            if texts is not None:
                is_right = (texts.source.text, texts.target.text) in truth
                verdict: Verdict = "accept" if is_right != (place < N_ODD) else "reject"
                self._stage.edit(JudgePairs(pairs=(texts.pair.id,), verdict=verdict))

    def _true_pairs(self, mining: pair_rows.MiningRow) -> set[tuple[str, str]]:
        """Give the texts of the pairs that are translations."""
        project = self._state.project
        assert project is not None
        ids = pair_rows.pair_ids(mining).tolist()
        return {
            (texts.source.text, texts.target.text)
            for texts in read_pair_texts(project.store, ids)
            if texts is not None and self._is_right(texts.pair)
        }

    def _minings(self) -> list[pair_rows.MiningRow]:
        return self._state.project.minings if self._state.project is not None else []

    def _open(self, folder: Path, mode: Any) -> None:
        open_it = partial(self._state.open_project, folder, mode)
        self._stage.wait(self._state.project_opened, open_it)

    def _run(self, params: Any) -> None:
        self._stage.wait(self._state.run_finished, lambda: self._state.run(params))
