"""Questions and changes on their way: who waits for which ticket."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

import shiboken6
from PySide6.QtCore import QObject

from app.errors import ErrorInfo
from app.messages import Command
from app.views.engine_client import EngineClient

Callback = Callable[[dict[str, Any] | ErrorInfo], None]
SUPERSEDED = ErrorInfo("superseded", "A newer question of this kind came.")


class Requests:
    """Sends what wants an answer; each callback is called exactly once.

    (Unless the widget whose method it is has been deleted.)
    """

    def __init__(self, client: EngineClient) -> None:
        self._client = client
        self._callbacks: dict[int, Callback] = {}
        self._newest: dict[Hashable, int] = {}

    def send(
        self,
        make_command: Callable[[int], Command],
        callback: Callback,
        *,
        kind: Hashable = None,
    ) -> None:
        """Send a command made of its ticket; an older one of its kind is superseded."""
        ticket = self._client.next_ticket()
        self._callbacks[ticket] = callback
        if kind is not None:
            older = self._newest.get(kind)
            self._newest[kind] = ticket
            if older is not None:
                self.settle(older, SUPERSEDED)
        try:
            self._client.send(make_command(ticket))
        except ValueError:
            del self._callbacks[ticket]
            raise

    def settle(self, ticket: int, value: dict[str, Any] | ErrorInfo) -> bool:
        """Give a ticket's answer to who waits; returns whether somebody did."""
        callback = self._callbacks.pop(ticket, None)
        if callback is None:
            return False
        if _is_alive(callback):
            callback(value)
        return True


def _is_alive(callback: Callback) -> bool:
    """Tell whether the object whose method this is has not been deleted by Qt."""
    function = callback.func if isinstance(callback, partial) else callback
    owner = getattr(function, "__self__", None)
    return not isinstance(owner, QObject) or shiboken6.isValid(owner)
