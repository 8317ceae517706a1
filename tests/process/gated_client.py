"""The real client of the engine, whose answers a test delivers late."""

from PySide6.QtCore import QObject

from app.protocol import commands, events
from app.protocol.commands import Command
from app.views.client.engine_channel import EngineChannel
from app.views.client.engine_client import EngineClient


class GatedClient(EngineClient):
    """Delivers what the engine sends when a test lets it.

    Attributes:
        holds_runs: runs are not sent: the test emits their events.
        held_runs: those that were not sent.
    """

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.holds_runs = False
        self.held_runs: list[commands.Run] = []
        self._tickets_open: set[int] = set()
        self.event_received.connect(self._on_event_received)

    @property
    def has_answered(self) -> bool:
        """Return whether each query and change has its answer."""
        return not self._tickets_open

    def send(self, command: Command) -> None:
        """Send a command, or keep a run."""
        if isinstance(command, commands.Run) and self.holds_runs:
            self.held_runs.append(command)
            return
        if isinstance(command, commands.Ask | commands.Edit):
            self._tickets_open.add(command.ticket)
        super().send(command)

    def close_gate(self) -> None:
        """Deliver nothing from now on."""
        self._channel_of_engine().blockSignals(True)

    def open_gate(self) -> None:
        """Deliver what has come since, and from now on at once."""
        channel = self._channel_of_engine()
        channel.blockSignals(False)
        channel.line_arrived.emit()

    def _channel_of_engine(self) -> EngineChannel:
        channel = self.findChild(EngineChannel)
        assert isinstance(channel, EngineChannel)
        return channel

    def _on_event_received(self, event: events.Event) -> None:
        if isinstance(event, events.Answer | events.Refused):
            self._tickets_open.discard(event.ticket or 0)
