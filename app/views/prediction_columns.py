"""The columns of predictions in a table: how sure, what was said, before and now."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from app.engine.store.prediction_arrays import predictions_of
from app.errors import ResourceError
from app.views.classifiers import Classifier
from app.views.classify_words import format_rate
from app.views.labelled import read_second_texts
from app.views.state import AppState
from app.views.widgets.page_model import (
    LABEL,
    LANGUAGE,
    SECOND,
    SENTENCE,
    Column,
    PageModel,
)


class PredictionColumns:
    """Reads what classifiers said for a page of a table.

    Attributes:
        one: the classifier that is shown; None before the first.
        before: an older one, beside it; None: there is none.
    """

    def __init__(self, state: AppState, model: PageModel):
        """Take the model of the table, which gets readers of the columns."""
        self._state = state
        self.one: Classifier | None = None
        self.before: Classifier | None = None
        model.readers["sure"] = self._read_sure
        model.readers["score"] = self._read_sure
        model.readers["said"] = lambda ids: self._read_said(ids, self.one)
        model.readers["before"] = lambda ids: self._read_said(ids, self.before)
        model.readers[SECOND.key] = self._read_second
        number = {"is_number": True, "is_sortable": False}
        self._sure = Column("sure", title=_tr("Sure"), **number)
        self._score = Column("score", title=_tr("Score"), **number)
        self._said = Column("said", is_sortable=False, title=_tr("Said"))
        self._before = Column("before", is_sortable=False, title=_tr("Before"))

    def of(
        self, one: Classifier | None, before: Classifier | None
    ) -> tuple[Column, ...]:
        """Give the columns for a classifier, with what an older one said, if any."""
        self.one, self.before = one, before
        if one is not None and one.gives_scores:
            return (self._score, SENTENCE, SECOND, LANGUAGE, LABEL)
        second = (SECOND,) if one is not None and one.is_of_pairs else ()
        old = (self._before,) if before is not None else ()
        return (self._sure, SENTENCE, *second, LANGUAGE, *old, self._said, LABEL)

    def _read_said(self, ids: list[int], one: Classifier | None) -> dict[int, str]:
        return {
            id_: one.row.classes[place] if one is not None and one.row.classes else "–"
            for id_, (place, _) in self._read(ids, one).items()
            if place >= 0
        }

    def _read_sure(self, ids: list[int]) -> dict[int, str]:
        is_score = self.one is not None and self.one.gives_scores
        return {
            id_: f"{sure:.2f}" if is_score else format_rate(sure)
            for id_, (_, sure) in self._read(ids, self.one).items()
        }

    def _read_second(self, ids: list[int]) -> dict[int, str]:
        project, one = self._state.project, self.one
        if project is None or one is None:
            return {}
        others = {row.corpus_id: row.other_id for row in one.predictions}
        return read_second_texts(project.store, ids, others)

    def _read(
        self, ids: Sequence[int], one: Classifier | None
    ) -> dict[int, tuple[int, float]]:
        project = self._state.project
        if project is None or one is None:
            return {}
        try:
            return predictions_of(project.folder, one.predictions, ids)
        except ResourceError:  # the arrays went with a prediction that is made anew
            return {}


def _tr(text: str) -> str:
    return QCoreApplication.translate("PredictionPage", text)
