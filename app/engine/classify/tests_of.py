"""The tests of a classifier as they are named: LANGUAGE=FILE or LANGUAGE=CORPUS."""

from typing import TYPE_CHECKING

from app.engine.classify.labelled import Labelled, read_labelled
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.project import Project


def read_tests(
    project: "Project | None", tests: tuple[str, ...]
) -> dict[str, Labelled]:
    """Read the rows of LANGUAGE=FILE or LANGUAGE=CORPUS.

    Raises:
        UserError: one has no such form, or a language stands twice.
    """
    found: dict[str, Labelled] = {}
    for test in tests:
        name, sign, place = test.partition("=")
        if not (sign and name and place):
            raise UserError(
                f"The test {test!r} is not LANGUAGE=FILE, such as de=test.tsv."
            )
        if name in found:
            raise UserError(f"The language {name} is to be tested twice: name it once.")
        found[name] = read_labelled(project, place)
    return found
