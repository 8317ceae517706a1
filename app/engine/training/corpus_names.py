"""Names of a training's corpora for its model card, which contains no ids."""

import re
from typing import TYPE_CHECKING

import msgspec

from app.engine.store.corpora import list_corpora
from app.engine.training.record import TrainingRecord

if TYPE_CHECKING:
    from app.engine.project.project import Project

FIELDS = "corpora", "kept_out_corpora"
KINDS = "", "corpus:"  # prefixes of an id
_PAIR_FILE = re.compile(r".+\.(\d+)-(\d+)\.tsv")  # file name by `write_linked_pairs`


def name_corpora(project: "Project | None", record: TrainingRecord) -> TrainingRecord:
    """Return the record with corpus names instead of ids and next to file names."""
    if project is None:
        return record
    names = {str(row.id): row.name for row in list_corpora(project.store)}
    ids = {f"{kind}{id_}": name for id_, name in names.items() for kind in KINDS}
    settings = dict(record.settings)
    for field in FIELDS:
        settings[field] = [ids.get(one, one) for one in settings[field]]
    if not settings["corpora"]:
        return msgspec.structs.replace(record, settings=settings)

    def describe(file: str) -> str:
        found = _PAIR_FILE.fullmatch(file)
        sides = found.groups() if found else ()
        corpora = ", ".join(names[id_] for id_ in sides if id_ in names)
        return f"{file} ({corpora})" if corpora else file

    hashes = {describe(file): digest for file, digest in record.hashes.items()}
    return msgspec.structs.replace(record, settings=settings, hashes=hashes)
