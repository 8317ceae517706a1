"""Count the pairs that an export omits and the texts that it changes."""

import re
from collections import Counter
from dataclasses import dataclass, field

from app.engine.text.writers.records import PairRecord
from app.params.base import FORMULA_MARKS, FormulaChoice
from app.plurals import count_text

# Control characters except tab and line breaks, unpaired surrogates and non-characters:
# XML 1.0 forbids them (Char, section 2.2), and UTF-8 forbids surrogates; C1 controls
# and DEL are legal there but useless. Direction marks and joiners are kept.
_UNWRITABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]"
)
_BREAKS = re.compile("[\t\n\r\x85\u2028\u2029]+")


def protects_formulas(choice: FormulaChoice, kind: str) -> bool:
    """Return whether an export in a format puts an apostrophe before formulas."""
    return choice == "protect" or (choice == "auto" and kind == "csv")


@dataclass
class ExportTally:
    """Counters of an export of pairs.

    Attributes:
        n_written: pairs written.
        left_out: pairs by reason.
        n_characters: removed characters, which text files may not contain.
        n_cleaned: texts that contained such characters.
        n_breaks: texts whose line breaks or tabs became spaces.
        n_formulas: texts that a spreadsheet program would treat as formulas.
        n_coded: texts written with their inline codes.
        n_codes_left_out: texts whose inline codes no longer match.
        protects_formulas: whether an apostrophe is put before formulas.
    """

    n_written: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    n_characters: int = 0
    n_cleaned: int = 0
    n_breaks: int = 0
    n_formulas: int = 0
    n_coded: int = 0
    n_codes_left_out: int = 0
    protects_formulas: bool = False

    def take_back(self, reason: str, n: int) -> None:
        """Count pairs as left out instead of written."""
        self.n_written -= n
        self.left_out[reason] += n

    def clean(self, text: str) -> str:
        """Return a text without characters that text files may not contain."""
        if text.isprintable():
            return text
        clean, n = _UNWRITABLE.subn("", text)
        self.n_characters += n
        self.n_cleaned += n > 0
        return clean

    def clean_record(self, record: PairRecord) -> PairRecord:
        """Clean all texts of a pair; single sentences are cleaned but not counted."""
        all_texts = (
            record.source,
            record.target,
            record.note,
            record.who,
            *record.tags,
        )
        if "".join(all_texts).isprintable():
            return record
        sides = [
            (self.clean(text), tuple(_UNWRITABLE.sub("", part) for part in parts))
            for text, parts in (
                (record.source, record.source_parts),
                (record.target, record.target_parts),
            )
        ]
        return record._replace(
            source=sides[0][0],
            target=sides[1][0],
            source_parts=sides[0][1],
            target_parts=sides[1][1],
            tags=tuple(self.clean(tag) for tag in record.tags),
            note=self.clean(record.note),
            who=self.clean(record.who),
        )

    def cell(self, text: str) -> str:
        """Return a text as the cell of a table."""
        flat = self.on_one_line(text)
        if self.protects_formulas and flat.startswith(FORMULA_MARKS):
            return f"'{flat}"
        return flat

    def on_one_line(self, text: str) -> str:
        """Replace line breaks and tabs by spaces."""
        if text.isprintable():
            return text
        flat, n = _BREAKS.subn(" ", text)
        self.n_breaks += n > 0
        return flat


def tally_notes(tally: ExportTally) -> list[str]:
    """Return notes on omitted pairs and changed texts, in sentences."""
    notes = []
    if tally.n_characters:
        notes.append(
            "Characters that text files can't contain (control characters, unpaired "
            f"surrogates) were removed: {count_text(tally.n_characters, 'character')} "
            f"from {count_text(tally.n_cleaned, 'text')}."
        )
    if tally.n_breaks:
        notes.append(
            f"Line breaks and tabs in {count_text(tally.n_breaks, 'text')} became "
            "spaces, because this format has one text per line."
        )
    if tally.n_coded:
        notes.append(f"{count_text(tally.n_coded, 'text')} kept the inline codes.")
    if tally.n_codes_left_out:
        notes.append(
            f"The inline codes of {count_text(tally.n_codes_left_out, 'text')} were "
            "left out: the text was edited, or the codes are those of another format."
        )
    if tally.n_formulas and tally.protects_formulas:
        notes.append(
            f"An apostrophe was put before {count_text(tally.n_formulas, 'text')} that "
            "a spreadsheet program would take for a formula (=, +, - or @ comes first)."
        )
    elif tally.n_formulas:
        notes.append(
            f"A spreadsheet program may take {count_text(tally.n_formulas, 'text')} "
            "for a formula (=, +, - or @ comes first): open the file there as text, "
            "or export as XLSX."
        )
    return notes
