"""What the engine still owes the window: open runs and unanswered tickets."""

from app import messages
from app.errors import ErrorInfo
from app.messages import Command, Event


class OpenWork:
    """Keeps the books of runs and tickets, so that a dead engine leaves none open."""

    def __init__(self) -> None:
        self._tickets: set[int] = set()
        self._runs: set[int] = set()

    def add(self, command: Command) -> None:
        """Note a command that wants an answer."""
        if not isinstance(command, messages.Cancel | messages.Steer | messages.Quit):
            self._tickets.add(command.ticket)

    def note(self, event: Event) -> None:
        """Note what an event begins or settles."""
        match event:
            case messages.Accepted():
                self._tickets.discard(event.ticket)
                self._runs.add(event.run)
            case messages.Answer() | messages.Refused() | messages.Opened():
                self._tickets.discard(event.ticket)
            case (
                messages.Finished()
                | messages.Failed()
                | messages.Cancelled()
                | messages.Paused()
            ):
                self._runs.discard(event.run)

    def fail_all(self, error: ErrorInfo) -> list[Event]:
        """Give the event that ends each open run and ticket, and forget them."""
        events: list[Event] = [
            messages.Failed(run, error) for run in sorted(self._runs)
        ]
        events += [messages.Refused(ticket, error) for ticket in sorted(self._tickets)]
        self._runs.clear()
        self._tickets.clear()
        return events
