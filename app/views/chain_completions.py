"""What can be written into the steps of a chain: fields, values, labels, names."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.chains import FieldStep, LabelStep, WithinStep
from app.engine.store.document_rows import read_field_names, read_field_values
from app.views.corpus_choices import ChosenIds, name_part
from app.views.state import AppState

# parameters that are completed, by step
COMPLETED: dict[type[Any], tuple[str, ...]] = {
    FieldStep: ("name", "value"),
    LabelStep: ("name",),
    WithinStep: ("name",),
}


class ChainCompletions:
    """Gives choices for the parameters of steps."""

    def __init__(self, state: AppState, begins_with: Callable[[], ChosenIds]):
        """Read nothing yet.

        Args:
            state: of the window.
            begins_with: gives what the chain begins with.
        """
        self._state, self._begins_with = state, begins_with

    def give(
        self, step: type[Any], parameter: str, values: Mapping[str, Any]
    ) -> Sequence[str]:
        """Give choices for a parameter.

        Args:
            step: whose parameter it is, one of `COMPLETED`.
            parameter: its name.
            values: of all parameters of the step, as they are written.
        """
        project = self._state.project
        if project is None:
            return ()
        if step is FieldStep and parameter == "name":
            return read_field_names(project.store, self._corpora())
        if step is FieldStep:
            name = str(values.get("name", "")).strip()
            return read_field_values(project.store, self._corpora(), name)
        if step is LabelStep:
            self._state.labels.need()
            return self._state.labels.classes
        return [name_part(project, row) for row in project.subcorpora]

    def _corpora(self) -> list[int]:
        """Give the ids of the corpora that the chain begins with."""
        project, ids = self._state.project, self._begins_with()
        if project is None:
            return []
        chosen = set(ids.corpora)
        for row in project.subcorpora:
            chosen |= row.counts.keys() if row.id in ids.subcorpora else set()
        return sorted(chosen) or [row.id for row in project.corpora]
