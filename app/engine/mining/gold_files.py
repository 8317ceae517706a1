"""The files of an evaluation: sentences, and a gold standard of their ids."""

from pathlib import Path

from app.engine.training.files import read_lines
from app.errors import UserError

HEADERS = ({"id", "text"}, {"source", "target"}, {"source_id", "target_id"})


def read_sentences(file: Path) -> dict[str, str]:
    """Read the lines id⇥text of a file as a dictionary; blank lines are passed over.

    Raises:
        UserError: a line has no tab, or an id stands twice.
    """
    texts: dict[str, str] = {}
    for number, line in enumerate(read_lines(file), 1):
        id_, tab, text = line.partition("\t")
        if not line or (number == 1 and {id_.lower(), text.lower()} in HEADERS):
            continue
        if not tab:
            raise UserError(
                f"{file}, line {number}: there is no tab between an id and a text."
            )
        if id_ in texts:
            raise UserError(f"{file}, line {number}: the id {id_!r} stands twice.")
        texts[id_] = text
    return texts


def read_gold(
    file: Path, sources: dict[str, str], targets: dict[str, str]
) -> list[tuple[str, str]]:
    """Read the lines id⇥id of a gold standard; blank lines are passed over.

    Raises:
        UserError: a line is no pair, an id is in neither file, or there is no pair.
    """
    pairs = []
    for number, line in enumerate(read_lines(file), 1):
        cells = line.split("\t")
        if not line or (number == 1 and {cell.lower() for cell in cells} in HEADERS):
            continue
        if len(cells) != 2:
            raise UserError(
                f"{file}, line {number}: a gold pair is a source id, a tab and a "
                "target id."
            )
        for id_, texts, side in (
            (cells[0], sources, "source"),
            (cells[1], targets, "target"),
        ):
            if id_ not in texts:
                raise UserError(
                    f"{file}, line {number}: the {side} file has no id {id_!r}."
                )
        pairs.append((cells[0], cells[1]))
    if not pairs:
        raise UserError(f"{file} holds no pair.")
    return pairs
