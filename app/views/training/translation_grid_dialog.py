"""Dialog for training translation models with different settings."""

import msgspec

from app.errors import UserError
from app.params import Params
from app.params.grid_cells import Trainable, list_cells
from app.params.training.fields import TITLES
from app.params.translation import TrainTranslation, TrainTranslationGrid
from app.views.training.translation_dialog import QUICK, TranslationDialog
from app.views.training.varied_settings import VariedSettings, varied_help
from app.views.widgets.fields import field_facts, make_files_field
from app.views.widgets.form import FormParts

HEADS = "n_heads=1|5|10|25"
NAMED_FILES = ("sts", "labelled")  # NAME=FILE
FIRST = (  # first fields
    *("name", "vary", "table", "corpora", "copies", "n_steps"),
    *("test", "n_sentences", "sts", "labelled", "probing"),
)


class TranslationGridDialog(TranslationDialog):
    """Asks for varying settings, in addition to those of a translation model."""

    struct = TrainTranslationGrid
    stem = "comparison"

    def defaults(self) -> TrainTranslation:
        """Return defaults that vary the number of heads, as in the publication."""
        return TrainTranslationGrid(vary=(HEADS,), **QUICK, corpora=self._proposed)

    def heading(self) -> str:
        """Return the title."""
        return self.tr("Train several translation models")

    def form_parts(self) -> FormParts:
        """Return fields for varying settings and named files."""
        fields = msgspec.structs.fields(self._struct)
        facts = {one.name: field_facts(one) for one in fields}
        inputs = self.make_lists()
        inputs |= {name: make_files_field(facts[name]) for name in NAMED_FILES}
        title = self.tr("Settings and values")
        inputs["vary"] = VariedSettings(title, TrainTranslation).as_field()
        titles = {**TITLES, "vary": title}
        help_ = {"vary": varied_help()}
        return FormParts(first=FIRST, titles=titles, inputs=inputs, help=help_)

    def list_trainings(self) -> list[Trainable]:
        """Return the trainings; empty, with an error, if a value is invalid."""
        params = self._params()
        if not isinstance(params, TrainTranslationGrid):
            return []
        return self._list_cells(params)

    def start(self, params: Params) -> None:
        """Start the trainings, unless the varied settings are invalid."""
        if isinstance(params, TrainTranslationGrid) and self._list_cells(params):
            super().start(params)

    def _list_cells(self, params: TrainTranslationGrid) -> list[Trainable]:
        """Return the trainings; empty, and an error, if a value is invalid."""
        try:
            return [cell.params for cell in list_cells(params)]
        except UserError as error:
            self.show_error(str(error))
            return []
