"""Write concordance lines as a Word document (Office Open XML) by python-docx.

The table has bold hits and right-aligned left contexts. Lines in right-to-left scripts
are in a separate table with right-to-left columns.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from app.engine.text.writers.concordance_lines import (
    ContextSentence,
    LineHeader,
    LineRecord,
)
from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import FileWriter
from app.engine.text.writers.tally import ExportTally
from app.errors import UserError
from app.languages import is_right_to_left, language_name
from app.number_format import format_score

MAX_LINES = 20_000  # Word takes minutes to lay out more
COLUMNS = ("Left", "Hit", "Right", "Where")
PAGE = (16_838, 11_906)  # A4, landscape, in twentieths of a point, like the next two
MARGIN = 900
WIDTHS = (5_500, 1_800, 5_500, 2_238)  # the page without its margins
GREY = "666666"  # for the sentences around a line
MAX_TITLE = 255  # characters, the limit of the format


class LineDocumentWriter(FileWriter):
    """Writes a document with a title, facts on the query, and one or two tables."""

    def __init__(
        self, files: OutputFiles, out: Path, head: LineHeader, tally: ExportTally
    ):
        self._head, self._tally = head, tally
        self._units: list[LineRecord] = []
        self._stream = files.open(out)

    def write(self, units: Sequence[LineRecord]) -> None:
        """Add lines.

        Raises:
            UserError: there are more lines than Word can lay out.
        """
        self._units += units
        self._tally.n_written += len(units)
        if len(self._units) > MAX_LINES:
            raise UserError(
                f"A .docx can have at most {MAX_LINES:,} lines. Export fewer "
                "(--top), or export a .tsv or .xlsx."
            )

    def finish(self) -> None:
        """Build the document and write it."""
        from docx import Document

        document: Any = Document()
        query = self._tally.clean(self._head.query)
        _set_properties(document, query)
        heading = document.add_heading(query, level=1)
        if all(unit.is_leftward for unit in self._units):
            heading._p.get_or_add_pPr().append(_element("w:bidi"))
        for fact in self._head.facts:
            document.add_paragraph(self._tally.clean(fact))
        for is_leftward in (False, True):
            units = [unit for unit in self._units if unit.is_leftward == is_leftward]
            if units:
                self._add_table(document, units, is_leftward=is_leftward)
        # build in memory first, since closing a zip file fails on a full disk
        packed = BytesIO()
        document.save(packed)
        self._stream.write(packed.getbuffer())

    def _add_table(
        self, document: Any, units: Sequence[LineRecord], *, is_leftward: bool
    ) -> None:
        from docx.oxml.ns import qn
        from docx.shared import Twips

        table = document.add_table(rows=1, cols=len(COLUMNS))
        table.style = "Table Grid"
        table.autofit = False
        if is_leftward:
            # the schema requires this element before the width
            before = table._tbl.tblPr.find(qn("w:tblW"))
            before.addprevious(_element("w:bidiVisual"))
        for column, width in zip(table._tbl.tblGrid.gridCol_lst, WIDTHS, strict=True):
            column.set(qn("w:w"), str(width))
        heads = zip(table.rows[0].cells, COLUMNS, WIDTHS, strict=True)
        for cell, name, width in heads:
            cell.paragraphs[0].add_run(name).bold = True
            cell.width = Twips(width)
        table.rows[0]._tr.get_or_add_trPr().append(_element("w:tblHeader"))
        for unit in units:
            for row in self._rows(unit):
                table._tbl.append(row)
        document.add_paragraph()

    def _rows(self, unit: LineRecord) -> Iterator[Any]:
        """Return a line's row, and a second one with its context and neighbours."""
        clean, code = self._tally.clean, unit.language
        # Word swaps left and right in a right-to-left paragraph
        left = _paragraph(clean(unit.left.rstrip()), code, align="right")
        hit = _paragraph(clean(unit.hit), code, align="center", is_bold=True)
        right = _paragraph(clean(unit.right.lstrip()), code)
        where = [_paragraph(clean(text), "") for text in _place(unit)]
        yield _row([[left], [hit], [right], where], WIDTHS)
        more = self._around(unit)
        if more:
            yield _row([more], (sum(WIDTHS),))

    def _around(self, unit: LineRecord) -> list[Any]:
        """Return the context, neighbours and translations of a line."""
        clean, code = self._tally.clean, unit.language
        context = [f"↑ {text}" for text in unit.before]
        context += [f"↓ {text}" for text in unit.after]
        shown = {near.text for near in unit.near if near.is_translation}
        linked = [text for text in unit.translations if text not in shown]
        return [
            *(_paragraph(clean(text), code, colour=GREY) for text in context),
            *(
                _paragraph(clean(near.text), near.language, label=_label(near))
                for near in unit.near
            ),
            *(
                _paragraph(clean(text), "", label="Translation by a link: ")
                for text in linked
            ),
        ]


def _label(near: ContextSentence) -> str:
    """Return the label of a similar sentence, such as "German, cosine 0.812"."""
    name = language_name(near.language)
    if near.is_translation or near.score is None:
        return f"{name}, translation by a link: "
    return f"{name}, cosine {format_score(near.score)}: "


def _place(unit: LineRecord) -> list[str]:
    """Return the source of a line, in at most two lines."""
    document = [unit.document] if unit.document else []
    fields = [f"{name}: {value}" for name, value in unit.fields.items() if value]
    first = " · ".join([unit.corpus, *document, f"line {unit.line:,}"])
    return [first, *([", ".join(fields)] if fields else [])]


def _set_properties(document: Any, query: str) -> None:
    from docx.enum.section import WD_ORIENT
    from docx.shared import Twips

    known = document.core_properties
    known.author = known.comments = ""
    known.title = f"Concordance of {query}"[:MAX_TITLE]
    known.created = known.modified = datetime.now(UTC)
    section = document.sections[0]
    section.orientation = WD_ORIENT.LANDSCAPE
    section.page_width, section.page_height = map(Twips, PAGE)
    section.left_margin = section.right_margin = Twips(MARGIN)


def _row(cells: Sequence[Sequence[Any]], widths: Sequence[int]) -> Any:
    row, whole = _element("w:tr"), _element("w:trPr")
    whole.append(_element("w:cantSplit"))  # by the end of a page
    row.append(whole)
    for paragraphs, width in zip(cells, widths, strict=True):
        cell, properties = _element("w:tc"), _element("w:tcPr")
        properties.append(_element("w:tcW", w=str(width), type="dxa"))
        if len(cells) == 1:
            properties.append(_element("w:gridSpan", val=str(len(COLUMNS))))
        cell.append(properties)
        cell.extend(paragraphs)
        row.append(cell)
    return row


def _paragraph(
    text: str,
    language: str,
    *,
    align: str = "",
    is_bold: bool = False,
    label: str = "",
    colour: str = "",
) -> Any:
    """Create a paragraph with the direction of its script."""
    is_leftward = is_right_to_left(language) if language else False
    paragraph, properties = _element("w:p"), _element("w:pPr")
    if is_leftward:
        properties.append(_element("w:bidi"))
    properties.append(_element("w:spacing", after="0"))
    if align:
        properties.append(_element("w:jc", val=align))
    paragraph.append(properties)
    if label:
        paragraph.append(_run(label))
    marks = [_element(name) for name in ("w:b", "w:bCs") if is_bold]
    marks += [_element("w:color", val=colour)] if colour else []
    marks += [_element("w:rtl")] if is_leftward else []
    paragraph.append(_run(text, marks))
    return paragraph


def _run(text: str, marks: Sequence[Any] = ()) -> Any:
    run, properties = _element("w:r"), _element("w:rPr")
    properties.extend(marks)
    run.append(properties)
    content = _element("w:t")
    content.text = text
    content.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    run.append(content)
    return run


def _element(name: str, **attributes: str) -> Any:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    element = OxmlElement(name)
    for key, value in attributes.items():
        element.set(qn(f"w:{key}"), value)
    return element
