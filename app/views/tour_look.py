"""The tour's part on the inside of sentences: words, and a script from the right."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.views.look_dialog import LookDialog
from app.views.view import LookedAt

if TYPE_CHECKING:
    from app.views.tour_stage import Scenes, TourStage

ENGLISH = LookedAt("The ferry will not sail tomorrow because of the storm.", "en")
GERMAN = LookedAt("Wegen des Sturms fährt die Fähre morgen nicht.", "de")
ARABIC = LookedAt("لن تبحر العبّارة غدًا بسبب العاصفة.", "ar")


class LookTour:
    """Looks inside sentences."""

    def __init__(self, stage: "TourStage"):
        """Take a stage."""
        self._stage = stage

    def scenes(self) -> "Scenes":
        """Give what there is to see."""
        return {
            "look-inside": partial(self._look, ENGLISH, GERMAN),
            "look-inside-arabic": partial(self._look, ENGLISH, ARABIC),
        }

    def _look(self, first: LookedAt, second: LookedAt) -> QWidget:
        dialog = LookDialog(self._stage.state, self._stage.window)
        dialog.open()
        self._stage.wait(dialog.shown, partial(dialog.look, first, second))
        dialog.map.point_at((1, 1))
        return dialog
