"""The dialog that trains translation models with different settings."""

import msgspec

from app.errors import UserError
from app.params import Params
from app.params.grid_cells import list_cells
from app.params.training.fields import TITLES
from app.params.translation import TrainTranslation, TrainTranslationGrid
from app.results.training import TrainingPlan
from app.views.training.grid_dialog import grid_help
from app.views.training.plan import describe_resources
from app.views.training.translation_dialog import QUICK, TranslationDialog
from app.views.training.varied_settings import VariedSettings
from app.views.widgets.fields import field_facts, make_files_field
from app.views.widgets.form import FormParts
from app.views.widgets.number_format import pluralize
from app.views.widgets.reference_fields import make_check_lists

HEADS = "n_heads=1|5|10|25"
NAMED_FILES = ("sts", "labelled")  # NAME=FILE
FIRST = (  # of the fields
    *("name", "vary", "table", "corpora", "copies", "n_steps"),
    *("test", "n_sentences", "sts", "labelled", "probing"),
)


class TranslationGridDialog(TranslationDialog):
    """Asks for the settings that vary, besides those of a translation model."""

    struct = TrainTranslationGrid
    stem = "comparison"

    def defaults(self) -> TrainTranslation:
        """Vary the number of heads, as the publication does."""
        return TrainTranslationGrid(vary=(HEADS,), **QUICK, corpora=self._proposed)

    def heading(self) -> str:
        """Return the title."""
        return self.tr("Train several translation models")

    def form_parts(self) -> FormParts:
        """Return the settings that vary and named files."""
        fields = msgspec.structs.fields(self._struct)
        facts = {one.name: field_facts(one) for one in fields}
        inputs = make_check_lists(self._state, self._struct)
        inputs |= {name: make_files_field(facts[name]) for name in NAMED_FILES}
        title = self.tr("Settings and values")
        inputs["vary"] = VariedSettings(title, TrainTranslation).as_field()
        titles = {**TITLES, "vary": title}
        return FormParts(first=FIRST, titles=titles, inputs=inputs, help=grid_help())

    def estimate(self) -> None:
        """Try the settings of the first training."""
        params = self._params()
        if isinstance(params, TrainTranslationGrid) and self._count(params):
            first = list_cells(params)[0].params
            self._planner.request(first)

    def start(self, params: Params) -> None:
        """Start the trainings, unless a setting cannot vary so."""
        if isinstance(params, TrainTranslationGrid) and self._count(params):
            super().start(params)

    def _count(self, params: TrainTranslationGrid) -> int:
        """Return the number of trainings; 0, and an error, if a value is invalid."""
        try:
            return len(list_cells(params))
        except UserError as error:
            self.show_error(str(error))
            return 0

    def _on_planned(self, preset: str, plan: TrainingPlan) -> None:
        super()._on_planned(preset, plan)
        params = self._params()
        if isinstance(params, TrainTranslationGrid):
            n = self._count(params)
            one, many = self.tr("1 training:"), self.tr("First of {n} trainings:")
            words = f"{pluralize(n, one, many)} {describe_resources(plan)}"
            self.estimate_text.setText("\n".join((words, *plan.notes)))
