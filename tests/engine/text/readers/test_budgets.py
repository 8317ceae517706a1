"""No file fills the memory, reads for minutes or ends in anything but a sentence."""

import gzip
import io
import logging
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from app.engine.runtime.blocking_calls import ChildCall
from app.engine.runtime.budget import MB, Budget
from app.engine.runtime.reader_process import UnexpectedReadError, call_reader
from app.engine.text.readers import xlsx
from app.engine.text.readers.bounded import open_bounded_reading
from app.errors import Cancelled, UserError
from app.params import build_params
from app.params.corpora import ImportCorpus
from tests.engine.text.readers.reading import read_units

HEAD = '<tmx version="1.4"><header srclang="en"/><body>'
UNIT = (
    '<tu><tuv xml:lang="en"><seg>a</seg></tuv>'
    '<tuv xml:lang="de"><seg>b</seg></tuv></tu>'
)
STRINGS = (
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
)
DTD = '<!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>'


def write(tmp_path: Path, name: str, data: bytes | str) -> Path:
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def read_bounded(path: Path, budget: Budget, **fields: Any) -> list[list[str]]:
    """Read all texts of a file in a reader process."""
    params: ImportCorpus = build_params(ImportCorpus, {"files": [path], **fields})
    reading = open_bounded_reading(params, budget=budget)
    sides: list[list[str]] = [[] for _ in reading.languages]
    for block in reading.blocks:
        for side, texts in zip(sides, block.sides, strict=True):
            side += texts
    return sides


def make_workbook(tmp_path: Path, cell: str = "text") -> Path:
    book = Workbook()
    book.worksheets[0].append([cell])
    stream = io.BytesIO()
    book.save(stream)
    return write(tmp_path, "a.xlsx", stream.getvalue())


def test_a_long_message_of_many_lines_is_read_in_linear_time(tmp_path: Path) -> None:
    lines = '"ab"\n' * 400_000  # appending to a string copies 160 GB
    path = write(tmp_path, "a.po", f'msgid "a"\nmsgstr ""\n{lines}')

    sides = read_bounded(path, Budget(seconds=20), languages=["en", "de"])

    assert sides == [["a"], ["ab" * 400_000]]


def test_a_message_over_1_mb_is_rejected_and_the_next_one_read(tmp_path: Path) -> None:
    lines = '"0123456789abcdef"\n' * 100_000
    text = f'msgid "a"\nmsgstr ""\n{lines}\nmsgid "c"\nmsgstr "d"\n'
    units = read_units(write(tmp_path, "a.po", text), languages=["en", "de"])

    assert units.sides == [["c"], ["d"]]
    assert [reason for _, reason in units.refused] == [
        "the text is longer than 1\u00a0MB"
    ]


def test_elements_between_units_are_freed(tmp_path: Path) -> None:
    # a tree of them takes 125 bytes each
    body = HEAD + UNIT + "<x/>" * 4_000_000 + UNIT + "</body></tmx>"
    path = write(tmp_path, "a.tmx.gz", gzip.compress(body.encode()))

    sides = read_bounded(path, Budget(memory=200 * MB), languages=["en", "de"])

    assert sides == [["a", "a"], ["b", "b"]]


def test_a_unit_without_end_is_refused(tmp_path: Path) -> None:
    start = '<tu><tuv xml:lang="en"><seg>' + "<ph/>" * 5_000_000
    path = write(tmp_path, "a.tmx.gz", gzip.compress(f"{HEAD}{UNIT}\n{start}".encode()))

    with pytest.raises(
        UserError, match=r"element at line 2 of .*larger than 16\u00a0MB"
    ):
        read_bounded(path, Budget(), languages=["en", "de"])


def test_a_huge_cell_is_refused(tmp_path: Path) -> None:
    path = make_workbook(tmp_path, cell="CELL")
    changed = io.BytesIO()
    with (
        zipfile.ZipFile(path) as archive,
        zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as copy,
    ):
        for part in archive.infolist():
            data = archive.read(part).replace(b"CELL", b"x" * 40_000_000)
            copy.writestr(part.filename, data)
    path.write_bytes(changed.getvalue())

    with pytest.raises(UserError, match="too large for the memory"):
        read_bounded(path, Budget(memory=300 * MB), languages=["en"])


def test_shared_strings_under_another_name_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_workbook(tmp_path)
    entry = f'<Override PartName="/xl/s.bin" ContentType="{STRINGS}"/></Types>'
    copy = tmp_path / "b.xlsx"
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(copy, "w") as other:
        for part in archive.infolist():
            data = archive.read(part).replace(b"</Types>", entry.encode())
            other.writestr(part.filename, data)
        other.writestr("xl/s.bin", "<sst>" + "<si><t>a</t></si>" * 1000 + "</sst>")
    monkeypatch.setattr(xlsx, "_MAX_STRINGS", 10_000)

    with pytest.raises(UserError, match="too large for the memory"):
        read_units(copy, languages=["en"])


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (('<?xml version="1.0" encoding="UTF-16"?>' + DTD).encode("utf-16"), "a doc"),
        (f"<?xml version='1.0'?><!--{'x' * 5000}-->{DTD}".encode(), "a document type"),
        (b"<?xml version='1.0' encoding='IBM037'?><x/>", "an unusual encoding"),
    ],
)
def test_a_document_type_is_found_wherever_it_is(
    data: bytes, what: str, tmp_path: Path
) -> None:
    path = make_workbook(tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("xl/evil.xml", data)

    with pytest.raises(UserError, match=rf"declares {what}.*in xl/evil\.xml"):
        read_units(path, languages=["en"])


ODD_NAMESPACE = '<tmx xmlns:o="urn:}"><header/><body><o:tu/>' + UNIT + "</body></tmx>"


def test_a_namespace_with_a_brace_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "a.tmx", ODD_NAMESPACE)

    with pytest.raises(UserError, match="is malformed at line 1"):
        read_units(path, languages=["en", "de"])


def test_a_backslash_before_a_digit_that_is_not_octal_is_dropped(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, "a.po", 'msgid "a"\nmsgstr "b\\9\\²\\101"\n')

    assert read_units(path, languages=["en", "de"]).sides == [["a"], ["b9²A"]]


def test_words_with_an_empty_last_column_are_joined(tmp_path: Path) -> None:
    columns = "\t".join("_" * 7)
    words = [f"{i}\t{form}\t{columns}\t" for i, form in ((1, "One"), (2, "day"))]
    path = write(tmp_path, "a.conllu", "\n".join(words) + "\n\n")

    assert read_units(path, languages=["en"]).sides == [["One day"]]


@pytest.mark.parametrize("name", ["a.tmx", "a.xlf", "a.tei"])
def test_an_unknown_encoding_of_xml_is_refused(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, name, HEAD + UNIT + "</body></tmx>")

    with pytest.raises(UserError, match="'nonsense' is not an encoding of XML files"):
        read_units(path, languages=["en"], encoding="nonsense")


def waste(kind: str) -> int:
    """Use up memory or time, or fail, in the reader process."""
    if kind == "memory":
        held = [bytes(MB) + b"1" for _ in range(500)]
        time.sleep(10)  # until it is measured, and the process ended
        return len(held)
    if kind == "time":
        while True:
            pass
    if kind == "fault":
        try:
            return [][1]
        except IndexError as error:
            raise UnexpectedReadError("a.txt can't be read at line 7") from error
    raise UserError("a sentence")


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("memory", "a.txt needs more than 200\u00a0MB of memory"),
        ("time", "a.txt takes too long to read for its size"),
        ("fault", "a.txt can't be read at line 7"),
        ("other", "a sentence"),
    ],
)
def test_a_reader_over_its_budget_ends_with_a_sentence(
    kind: str, sentence: str, caplog: pytest.LogCaptureFixture
) -> None:
    call = ChildCall(f"{__name__}:waste", {"kind": kind})
    budget = Budget(memory=200 * MB, seconds=1)

    with caplog.at_level(logging.ERROR), pytest.raises(UserError, match=sentence):
        call_reader(call, int, name="a.txt", budget=budget)

    assert ("IndexError" in caplog.text) == (kind == "fault")


def test_cancel_ends_a_reader_that_does_not_answer() -> None:
    def cancel() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        call_reader(
            ChildCall(f"{__name__}:waste", {"kind": "time"}),
            int,
            name="a.txt",
            wait=cancel,
        )


@pytest.mark.parametrize("kind", ["tei", "tmx", "po", "jsonl", "conllu"])
def test_an_unexpected_exception_names_file_and_line(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> Callable[[], None]:
        raise ZeroDivisionError

    monkeypatch.setattr(f"app.engine.text.readers.{kind}.ByteSource", fail)
    path = write(tmp_path, f"a.{kind}", HEAD + UNIT + "</body></tmx>")

    with pytest.raises(
        UnexpectedReadError, match=rf"a\.{kind} can't be read at or aft"
    ):
        read_units(path, languages=["en", "de"] if kind == "po" else ["en"])
