"""The tour's part on classifiers: labels, a check, training, the board, predictions."""

from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtWidgets import QWidget

from app.engine.store import rows
from app.label_changes import LabelSentences
from app.params.classify import Classify
from app.views.labelled import source_of
from app.views.transfer_proposals import suggest_transfer
from app.views.widgets.transfer_behind import (
    COMPARISON,
    CONFUSION,
    ERRORS,
    FEW_SHOT,
)
from app.views.widgets.transfer_dialog import TransferDialog

if TYPE_CHECKING:
    from app.views.tour_stage import Scenes, TourStage

HOME = "en"
CLASSIFIED = ("de", "es", "ja", "tr", "zh")  # languages of the predictions
FORGOTTEN = "tr"  # its labels are taken away: it is what is labelled next
ERRORS_IN = "ar"


class ClassifyTour:
    """Goes through the classify view."""

    def __init__(self, stage: "TourStage"):
        self._stage = stage
        self._window, self._state = stage.window, stage.state

    def classify(self) -> None:
        """Test as proposed, with two heads; check, train, classify, retrain."""
        view = self._view()
        self._run(view.jobs.test_suggested)
        assert self._state.project is not None
        suggested = suggest_transfer(self._state.project)
        assert suggested is not None, "the demo has labels"
        votes = msgspec.structs.replace(suggested, head="centroid")
        self._run(lambda: self._state.run(votes))
        view.board.refresh()
        view.board.choose(view.board.transfers[1].id)
        self._run(view.board.page.behind.few_shot.measure.click)
        english = self._corpus(HOME)
        view.labels.corpora.choose(english.id)
        self._run(view.classifier_jobs.check)
        self._train(view)
        self._window.message_bar.clear()

    def _train(self, view: Any) -> None:
        """Train, classify, forget the labels of a corpus, mend some, retrain."""
        setup = view.training.setup
        assert self._state.project is not None
        setup.begin(source_of(self._state.project, self._corpus(HOME)))
        setup.form.write({"name": "Topics"})
        self._run(setup.train_button.click)
        corpora = tuple(str(self._corpus(code).id) for code in CLASSIFIED)
        name = str(view.training.found[0].row.id)
        self._run(lambda: self._state.run(Classify(classifier=name, corpora=corpora)))
        forgotten = self._corpus(FORGOTTEN)
        first = rows.first_id(forgotten.id)
        ids = tuple(range(first + 40, first + forgotten.n_sentences))
        self._stage.edit(LabelSentences(sentences=ids, class_name=""))
        self._run(view.classifier_jobs.retrain)
        self._stage.wait_until(self._state.run_finished, lambda: self._is_done(view))

    def _is_done(self, view: Any) -> bool:
        return not self._state.is_busy and view.older_classifier is not None

    def scenes(self) -> "Scenes":
        """Give what there is to see."""
        return {
            "classify": lambda: self._show_board("", CONFUSION),
            "classify-errors": lambda: self._show_board(ERRORS_IN, ERRORS),
            "classify-few-labels": lambda: self._show_board("", FEW_SHOT),
            "classify-comparison": self._show_comparison,
            "classify-labels": lambda: self._show_labels(0),
            "classify-check": lambda: self._show_labels(1),
            "classify-form": self._show_form,
            "classify-classifier": self._show_classifier,
            "classify-predictions": self._show_predictions,
            "classify-suggestions": self._show_suggestions,
            "classify-changes": self._show_changes,
            "classify-test": self._show_dialog,
        }

    def _show_board(self, language: str, tab: int) -> Any:
        view = self._view()
        view.show_step(view.board)
        view.board.choose(view.board.transfers[1].id)
        page = view.board.page
        page.table.choose(language or page.rows[0].key)
        page.behind.tabs.setCurrentIndex(tab)
        view.setFocus()

    def _show_comparison(self) -> None:
        self._show_board("", CONFUSION)
        behind = self._view().board.page.behind
        self._stage.wait(
            behind.comparison.shown, lambda: behind.tabs.setCurrentIndex(COMPARISON)
        )

    def _show_labels(self, tab: int) -> None:
        view = self._view()
        view.show_step(view.labels)
        view.labels.corpora.choose(self._corpus(HOME).id)
        view.labels.page.tabs.setCurrentIndex(tab)
        view.labels.page.table.selectRow(3)

    def _show_form(self) -> None:
        view = self._view()
        view.show_step(view.training)
        view.training.begin_new()
        presets = view.training.setup.presets
        presets.setCurrentIndex(1)
        presets.activated.emit(1)

    def _show_classifier(self) -> None:
        view = self._view()
        view.show_step(view.training)
        view.training.choose(view.training.found[0].row.id)

    def _show_predictions(self) -> None:
        page = self._show_use()
        self._stage.wait(page.shown, page.show_all)
        page.table.selectRow(2)

    def _show_suggestions(self) -> None:
        page = self._show_use()
        self._stage.wait(page.shown, page.show_suggestions)
        page.table.selectRow(0)

    def _show_changes(self) -> None:
        page = self._show_use()
        view = self._view()
        self._stage.wait(page.shown, view.classifier_jobs.show_changes)
        page.table.selectRow(0)

    def _show_use(self) -> Any:
        view = self._view()
        view.show_step(view.use)
        view.use.choose(view.training.found[0].row.id)
        return view.use.page

    def _show_dialog(self) -> QWidget:
        view = self._view()
        view.show_step(view.board)
        view.jobs.ask_test()
        dialog: TransferDialog = view.findChildren(TransferDialog)[-1]
        return dialog

    def _run(self, begin: Any) -> None:
        self._stage.wait(self._state.run_finished, begin)
        self._stage.settle()

    def _corpus(self, language: str) -> rows.CorpusRow:
        assert self._state.project is not None
        corpora = self._state.project.corpora
        return next(row for row in corpora if row.language == language)

    def _view(self) -> Any:
        if self._window.view_name != "classify":
            self._window.show_view("classify")
        return self._window.view
