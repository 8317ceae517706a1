"""Starts an idle engine again when the user has chosen another device."""

from PySide6.QtCore import QObject

from app.views.engine_client import EngineClient


class EngineRestart(QObject):
    """Ends the engine, and starts it as soon as it is gone."""

    def __init__(self, client: EngineClient, parent: QObject):
        super().__init__(parent)
        self._client = client
        self._starts_again = False
        client.engine_stopped.connect(self._on_engine_stopped)

    def begin(self) -> None:
        """Restart the engine, if it runs."""
        if self._client.is_running:
            self._starts_again = True
            self._client.quit()

    def _on_engine_stopped(self) -> None:
        if self._starts_again:
            self._starts_again = False
            self._client.start()
