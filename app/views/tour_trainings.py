"""The tour's part on training: small real ones, one of them in the middle."""

from typing import TYPE_CHECKING, Any

import msgspec

from app.params.presets import preset_params
from app.params.training import TrainEncoder
from app.views.runs import RunState

if TYPE_CHECKING:
    from app.views.tour_stage import Scenes, TourStage

# Small enough to be trained in seconds; the rates are what the pictures compare.
SIZES = {
    "n_pieces": 3_000,
    "n_ngrams": 4_096,
    "dim": 64,
    "batch_size": 256,
    "n_warmup": 10,
    "evaluate_every": 10,
}
# The first is trained before the pictures; the second is seen at work, then finished.
RATES = {"letters-1": 0.01, "letters-2": 0.003}
FIRST, SECOND = RATES
N_STEPS, N_LONG, N_SEEN = 50, 10_000, 50  # steps: of the first; of the others; seen
PIVOT = "en"


class TrainingTour:
    """Goes through the training view."""

    def __init__(self, stage: "TourStage"):
        self._stage = stage
        self._window, self._state = stage.window, stage.state
        self._run: RunState | None = None

    def train(self) -> None:
        """Train an encoder on the demo, for some seconds."""
        params = self._params(FIRST, n_steps=N_STEPS)
        self._stage.wait(self._state.run_finished, lambda: self._state.run(params))
        self._window.message_bar.clear()

    def running_scenes(self) -> "Scenes":
        """Give what there is to see of a training at work; it goes on after."""
        return {"training-running": self._show_running}

    def ended_scenes(self) -> "Scenes":
        """Give what there is to see before a training and after it."""
        self._finish()
        return {
            "training": self._show_setup,
            "training-record": self._show_record,
            "training-comparison": self._show_comparison,
        }

    def _show_running(self) -> None:
        view = self._view()
        if self._run is None:
            params = self._params(SECOND, n_steps=N_LONG)
            self._run = self._state.run(params)
            self._wait_for_step(N_SEEN)
            view.refresh()
        view.list.choose([self._run.id])
        self._wait_for_curves()

    def _finish(self) -> None:
        """Have the training end with what it has learned."""
        run = self._run
        if run is None or not run.is_open:
            return
        finished = self._state.run_finished
        self._stage.wait(finished, lambda: self._state.steer(run, "finish"))
        self._window.message_bar.clear()

    def _show_setup(self) -> None:
        view = self._view()
        view.begin_new()
        view.setup.choose_preset("quick")
        planner, params = view.setup.planner, view.setup.form.peek()
        if planner.known(params) is None:
            self._stage.wait(planner.planned, lambda: planner.ask(params, "quick"))

    def _show_record(self) -> None:
        view = self._view()
        view.refresh()
        self._choose(SECOND)
        self._wait_for_curves()
        view.page.tabs.setCurrentWidget(view.page.record)

    def _show_comparison(self) -> None:
        view = self._view()
        view.page.tabs.setCurrentIndex(0)
        self._choose(FIRST, SECOND)
        self._wait_for_curves()

    # --- help ---

    def _params(self, name: str, **values: Any) -> TrainEncoder:
        project = self._state.project
        corpora = project.corpora if project is not None else []
        english = tuple(str(row.id) for row in corpora if row.language == PIVOT)
        params = preset_params("quick", name)
        sizes = SIZES | {"lr": RATES[name]} | values
        return msgspec.structs.replace(params, corpora=english, **sizes)

    def _wait_for_step(self, wanted: int) -> None:
        """Wait until a running training has told of a step."""
        seen = [0]

        def _note(_run: object, step: int, _values: object) -> None:
            seen[0] = max(seen[0], step)

        told = self._state.metric_added
        told.connect(_note)
        self._stage.wait_until(told, lambda: seen[0] >= wanted)
        told.disconnect(_note)

    def _view(self) -> Any:
        self._window.show_view("training")
        return self._window.view

    def _choose(self, *names: str) -> None:
        view = self._view()
        chosen = [t.id for t in view.list.trainings if t.name in names]
        view.list.choose(chosen)

    def _wait_for_curves(self) -> None:
        curves = self._view().curves
        while curves.is_reading:
            self._stage.wait(curves.grown, lambda: None)
        self._view().page.plots.refresh()
        self._view().comparison.plots.refresh()
