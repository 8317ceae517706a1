"""Whether anything was committed to a project since somebody looked."""

import weakref

from sqlalchemy import Engine


class CommitWatch:
    """Tells a project's states apart by what was committed, by whomever."""

    def __init__(self, store: Engine):
        """Keep a connection of its own, until this is let go."""
        connection = store.connect()
        self._raw = connection.connection.driver_connection
        weakref.finalize(self, connection.close)

    def state(self) -> int:
        """Give a number that is another one after each commit of another connection.

        (https://www.sqlite.org/pragma.html#pragma_data_version)
        """
        assert self._raw is not None, "the connection is open as long as this is there"
        (number,) = self._raw.execute("PRAGMA data_version").fetchone()
        return int(number)
