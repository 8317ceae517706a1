"""Preview the documents of an import: those found so far, with their fields."""

from itertools import islice
from typing import Any

import msgspec

from app.engine.text.documents import DocumentCheck
from app.engine.text.normalise import clean_text
from app.engine.text.readers import Block, Reading
from app.params import ImportCorpus

N_DOCUMENTS = 50
N_PROBLEMS = 10
MAX_FIELDS = 8
MAX_VALUE = 40  # characters


class DocumentPreview(msgspec.Struct, frozen=True):
    """A document that was found: its name and its fields."""

    name: str
    fields: dict[str, str]


def preview_documents(
    params: ImportCorpus, units: Block, reading: Reading | None
) -> dict[str, Any]:
    """Give what a preview tells of documents."""
    check = _check_documents(params, units, reading)
    fields = dict.fromkeys(name for mark in check.known for name, _ in mark.fields)
    return {
        "documents": _show_documents(check),
        "n_documents": len(check.known),
        "document_fields": tuple(islice(fields, MAX_FIELDS)),
        "document_problems": tuple(check.problems[:N_PROBLEMS]),
    }


def _check_documents(
    params: ImportCorpus, units: Block, reading: Reading | None
) -> DocumentCheck:
    """Find the documents: those known before, with what was read of them."""
    check = DocumentCheck(params.number_fields)
    for problem in reading.problems if reading else ():
        check.tell(problem)
    read = {mark.name: mark for mark in units.documents}
    known = [read.pop(mark.name, mark) for mark in reading.documents] if reading else []
    for mark in (*known, *dict.fromkeys(units.documents)):
        check.keep(mark)
    return check


def _show_documents(check: DocumentCheck) -> tuple[DocumentPreview, ...]:
    marks = islice(check.known, N_DOCUMENTS)
    return tuple(
        DocumentPreview(
            _clip(mark.name, MAX_VALUE),
            {name: _clip(value, MAX_VALUE) for name, value in mark.fields[:MAX_FIELDS]},
        )
        for mark in marks
    )


def _clip(text: str, longest: int) -> str:
    clean = clean_text(text)[0]
    return clean if len(clean) <= longest else f"{clean[: longest - 1]}…"


__all__ = ["DocumentPreview", "preview_documents"]
