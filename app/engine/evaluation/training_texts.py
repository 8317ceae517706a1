"""Detection of evaluation texts that an encoder was trained on."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from app.engine.encoders.folder import CARD_FILE
from app.engine.encoders.registry import find_with_heads
from app.engine.runtime.hashing import hash_file
from app.engine.runtime.report import Report
from app.engine.store.lookup import find_corpora
from app.engine.store.trainings import read_trained_corpora
from app.params.evaluation import AlignedTexts

if TYPE_CHECKING:
    from app.engine.project.project import Project

WARNING = "so its results are too good. Evaluate on texts that it was not trained on."
ROW_NOTE = "trained on these texts"
_HASH_ROW = re.compile(r"^\| (.+) \| `([0-9a-f]{64})` \|$", re.MULTILINE)
_HEADING = re.compile(r"# (.+)")


class TrainedTexts(NamedTuple):
    """Texts of an evaluation that an encoder was trained on.

    Attributes:
        encoder: name of the encoder.
        corpora, files: names of corpora and files used in training.
    """

    encoder: str
    corpora: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def notes(self) -> list[str]:
        """Return the warnings for the page and the report; empty: no overlap."""
        corpora = f"pairs of {', '.join(self.corpora)}" if self.corpora else ""
        return [
            f"{self.encoder} was trained on {names}, {WARNING}"
            for names in (corpora, ", ".join(self.files))
            if names
        ]

    def row_note(self, *names: str) -> str:
        """Return the note of a row about some corpora, or about any of the files."""
        is_trained = bool(names) and {*names} <= {*self.corpora}
        return ROW_NOTE if self.files or is_trained else ""


def find_trained_texts(
    project: "Project | None",
    encoder: str,
    *,
    corpora: Sequence[str] = (),
    files: Sequence[Path] = (),
) -> TrainedTexts:
    """Return the corpora or files of an evaluation that an encoder was trained on.

    Args:
        project: project whose runs record the training corpora.
        encoder: name or folder; empty: the encoder in use.
        corpora: names or ids; two or more must be in the training, as pairs need two.
        files: files whose hashes are compared with the encoder's model card.
    """
    folder = find_with_heads(encoder, project.folder if project else None)[0]
    card = _read_card(folder)
    seen: list[str] = []
    if project is not None and corpora:
        trained = read_trained_corpora(project.store)
        heading = _HEADING.match(card)  # the name before the encoder was renamed
        names = folder.name, heading[1] if heading else ""
        ids = next((trained[name] for name in names if name in trained), frozenset())
        seen = [
            row.name for row in find_corpora(project.store, corpora) if row.id in ids
        ]
    return TrainedTexts(
        folder.name,
        tuple(seen) if len(seen) > 1 else (),
        tuple(_find_files(card, files)),
    )


def find_trained_aligned(
    project: "Project | None", params: AlignedTexts
) -> TrainedTexts:
    """Return the texts of an evaluation that its encoder was trained on."""
    files = [one for one in (params.source, params.target, params.table) if one]
    return find_trained_texts(
        project, params.encoder, corpora=params.corpora, files=files
    )


def _read_card(folder: Path) -> str:
    card = folder / CARD_FILE
    return card.read_text(encoding="utf-8") if card.is_file() else ""


def _find_files(card: str, files: Sequence[Path]) -> list[str]:
    """Return the names of the files whose hashes are on a card."""
    trained = {  # without held-out files
        digest
        for name, digest in _HASH_ROW.findall(card)
        if f"--kept-out {shlex.quote(name)}" not in card
    }
    if not trained:
        return []
    return [one.name for one in files if hash_file(one, Report()) in trained]
