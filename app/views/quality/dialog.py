"""Dialog with the settings of a quality check."""

from collections.abc import Callable
from typing import Any, get_args

from PySide6.QtWidgets import QWidget

from app.params import Params
from app.params.base import TaskParams
from app.params.quality import (
    CheckCorpus,
    CompareEncoders,
    CorpusCheck,
    FindDuplicates,
    FindLeakage,
)
from app.views.client.state import AppState
from app.views.quality.text import describe_finding_kind
from app.views.widgets.check_list import CheckList
from app.views.widgets.corpus_choices import (
    corpus_choices,
    missing_vectors,
    swap_titles,
)
from app.views.widgets.fields import Field, make_check_box
from app.views.widgets.form import FormParts
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.theme import GRID

ADVANCED_FIELDS = {
    FindDuplicates: ("across_cosine", "margin", "exact", "encoder", "seed"),
    FindLeakage: ("across_cosine", "margin", "exact", "encoder", "seed"),
    CheckCorpus: (),
    CompareEncoders: ("sample", "seed"),
}
WIDE_FIELDS = ("corpora", "within", "corpus", "checks", "encoders", "across")


class QualityDialog(TaskDialog):
    """The dialog with the settings of a check."""

    WIDTH = 88 * GRID

    def __init__(
        self,
        state: AppState,
        values: TaskParams,
        run: Callable[[Params], object],
        parent: QWidget | None = None,
    ):
        """Make the dialog; `run` starts the check."""
        self.rare = ADVANCED_FIELDS[type(values)]
        self._run, self._values = run, values
        super().__init__(state, type(values), values, parent=parent)
        self.setWindowTitle(self.heading())
        self._offer_choices()
        self.form.changed.connect(self._show_needs)
        self._show_needs()

    def heading(self) -> str:
        """Return the name of the check."""
        headings = {
            FindDuplicates: self.tr("Find duplicates"),
            FindLeakage: self.tr("Find test-set leakage"),
            CheckCorpus: self.tr("Check sentences"),
            CompareEncoders: self.tr("Compare two encoders"),
        }
        return headings[type(self._values)]

    def form_parts(self) -> FormParts:
        """Return the inputs: check lists for corpora, checks and encoders."""
        names = self._struct.__struct_fields__
        inputs: dict[str, Field] = {}
        lists = self._check_lists()
        for name, (title, hint, choices) in lists.items():
            if name in names:
                listed = CheckList(title, hint)
                listed.set_choices(choices)
                inputs[name] = listed.as_field()
        for name, words in (
            ("across", self.tr("Also find translations that are not linked")),
            ("exact", self.tr("Compare every pair of sentences (slow)")),
        ):
            if name in names:
                inputs[name] = make_check_box(name.capitalize(), words)
        hints = {name: hint for name, (_, hint, _) in lists.items()}
        return FormParts(
            titles=self._titles(),
            inputs=inputs,
            wide=WIDE_FIELDS,
            help={**hints, "across": "", "exact": ""},
        )

    def start(self, params: Params) -> None:
        """Run the check."""
        self._run(params)

    def _params(self) -> Params | None:
        """Return the params, or show an error that two encoders are required."""
        ticked = self.form.raw().get("encoders")
        if ticked is None or len(ticked) == 2:
            return super()._params()
        self.form.show_error("encoders", self.tr("Select two encoders."))
        return None

    def _check_lists(self) -> dict[str, tuple[str, str, list[tuple[str, str]]]]:
        """Return the title, hint and choices of each check list."""
        return {
            "corpora": (
                self.tr("Corpora"),
                self.tr("Select corpora. Without a selection, all are checked."),
                self._corpora(),
            ),
            "within": (
                self.tr("Search in"),
                self.tr("Select the corpora that must not contain test sentences."),
                self._corpora(),
            ),
            "checks": (
                self.tr("Find"),
                self.tr("Select problems. Without a selection, all are found."),
                [(one, describe_finding_kind(one)) for one in get_args(CorpusCheck)],
            ),
            "encoders": (
                self.tr("Encoders"),
                self.tr("Select two encoders. The second is compared with the first."),
                [(one.name, one.name) for one in self._state.encoders.cards],
            ),
        }

    def _titles(self) -> dict[str, str]:
        return {
            "corpus": self.tr("Test sentences"),
            "within": self.tr("Search in"),
            "checks": self.tr("Find"),
            "similarity": self.tr("Minimum similarity"),
            "cosine": self.tr("Minimum cosine"),
            "across_cosine": self.tr("Cosine across languages"),
            "margin": self.tr("Margin across languages"),
            "keep": self.tr("Duplicate to keep"),
            "sure": self.tr("Minimum confidence"),
            "repeats": self.tr("Minimum repeats"),
            "k": self.tr("Neighbours"),
        }

    def _corpora(self) -> list[tuple[str, str]]:
        """Return the names and titles of corpora and sub-corpora."""
        return corpus_choices(self._state.project)

    def _offer_choices(self) -> None:
        names = self.form.names
        if "corpus" in names:
            self.form.set_choices("corpus", swap_titles(self._corpora()))
        if "keep" in names:
            first, longest = self.tr("the first"), self.tr("the longest")
            self.form.set_choices("keep", [(first, "first"), (longest, "longest")])

    def _show_needs(self) -> None:
        """Show whether corpora have to be encoded first."""
        project, encoders = self._state.project, self._state.encoders
        raw: dict[str, Any] = self.form.raw()
        if project is None or isinstance(self._values, CheckCorpus):
            self.show_needs("")
            return
        names = [*raw.get("corpora", ()), *raw.get("within", ())]
        if raw.get("corpus"):
            names.append(str(raw["corpus"]))
        names = names or [str(row.id) for row in project.corpora]
        wanted = raw.get("encoders") or [str(raw.get("encoder", ""))]
        cards = [encoders.find(name) or encoders.in_use for name in wanted]
        is_missing = any(
            card is not None and missing_vectors(project, names, card.fingerprint)
            for card in cards
        )
        words = self.tr("Corpora without vectors are encoded first.")
        self.show_needs(words if is_missing else "")
