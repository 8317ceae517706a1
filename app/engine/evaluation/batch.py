"""Named input files, and a batch that continues after one of them fails."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from app.engine.runtime.report import Report
from app.engine.text.line_files import file_stem
from app.errors import ResourceError, UserError

T = TypeVar("T")


class NamedFile(NamedTuple):
    """A file and its name in tables."""

    name: str
    file: Path


def parse_named_files(data: Sequence[str], *, form: str) -> list[NamedFile]:
    """Parse NAME=FILE, or FILE, whose name is the file's.

    An existing file whose name contains an equals sign is used as it is.

    Args:
        data: items as entered.
        form: form of an item, for the message: LANGUAGE=FILE.

    Raises:
        UserError: a name or a file is missing, or two items have the same name.
    """
    found: dict[str, NamedFile] = {}
    for one in data:
        name, sign, place = one.partition("=")
        if not sign or Path(one).is_file():
            name, place = file_stem(Path(one)), one
        if not (name and place):
            raise UserError(
                f"{one!r} doesn't have the form {form}: a name, an equals sign and a "
                "file."
            )
        if name in found:
            raise UserError(
                f"{found[name].file} and {place} have the same name, {name}. Name each "
                f"of them with {form}."
            )
        found[name] = NamedFile(name, Path(place))
    return list(found.values())


class FaultTolerantBatch:
    """Runs pieces of work; reports failures and continues with the rest.

    Attributes:
        failures: a sentence for each piece that failed.
    """

    def __init__(self, stage: str, n: int, report: Report):
        self.failures: list[str] = []
        self._stage, self._n, self._report = stage, n, report
        self._done = 0
        self._first: UserError | ResourceError | None = None

    def try_one(self, name: str, work: Callable[[], T]) -> T | None:
        """Do one piece; return None if it failed because of its data."""
        self._report.step(self._stage, self._done, self._n, name)
        self._done += 1
        try:
            return work()
        except (UserError, ResourceError) as error:
            self.failures.append(str(error))
            self._first = self._first or error
            return None

    def check_any(self, found: object) -> None:
        """Raise the first failure if there are no results."""
        self._report.step(self._stage, self._n, self._n)
        if not found and self._first is not None:
            raise self._first
