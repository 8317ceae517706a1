"""Button that shows and changes the encoder in use."""

from functools import partial

from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.protocol.answers.encoders import EncoderInfo
from app.protocol.edits.encoders import ChooseEncoder
from app.views.client.state import AppState
from app.views.widgets.controls import PushButton, describe
from app.views.widgets.number_format import format_bytes, format_count


class EncoderButton(PushButton):
    """Shows the encoder in use; its menu lists the encoders."""

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent=parent)
        self._state = state
        self.setProperty("quiet", True)
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(self.fill_menu)
        self.setMenu(menu)
        state.encoders.changed.connect(self._on_changed)
        self._on_changed()

    def fill_menu(self) -> None:
        """List the encoders, with the one in use checked."""
        menu, encoders = self.menu(), self._state.encoders
        menu.clear()
        for card in encoders.cards:
            action = menu.addAction(card.name)
            action.setToolTip(describe_encoder(card))
            action.setCheckable(True)
            action.setChecked(card.name == encoders.chosen)
            action.setEnabled(self._state.can_write)
            action.triggered.connect(partial(self._choose, card.name))
        menu.addSeparator()
        show = menu.addAction(self.tr("Show encoders…"))
        show.triggered.connect(encoders.view_requested)

    def _choose(self, name: str, _is_checked: bool = True) -> None:
        self._state.edit(ChooseEncoder(name))

    def _on_changed(self) -> None:
        name = self._state.encoders.chosen
        self.setVisible(bool(name))
        self.setText(name)
        describe(
            self,
            self.tr("Encoder: {name}").format(name=name),
            self.tr(
                "Search and encoding use {name}. Click to choose another encoder."
            ).format(name=name),
        )


def describe_encoder(encoder: EncoderInfo) -> str:
    """Summarise an encoder: static · 256 dimensions · 31 MB."""
    words = QApplication.translate("EncoderList", "{dim} dimensions")
    dim = words.format(dim=format_count(encoder.dim))
    parts = [_architecture_name(encoder.architecture), dim]
    if encoder.size_bytes:
        parts.append(format_bytes(encoder.size_bytes))
    return " · ".join(parts)


def _architecture_name(architecture: str) -> str:
    """Return the common name of an architecture."""
    names = {
        "bilstm": QApplication.translate("EncoderList", "BiLSTM"),
        "bridge": QApplication.translate("EncoderList", "translation model"),
        "combined": QApplication.translate("EncoderList", "combined"),
        "sentence-transformers": QApplication.translate(
            "EncoderList", "sentence transformer"
        ),
        "vectors": QApplication.translate("EncoderList", "vectors only"),
        "word-bag": QApplication.translate("EncoderList", "averaged word vectors"),
    }
    return names.get(architecture, architecture)
