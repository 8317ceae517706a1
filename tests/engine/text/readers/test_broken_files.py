"""Whatever a file holds, a reader gives units or refuses it in a sentence."""

import gzip
import importlib
import io
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from app.errors import UserError
from tests.engine.text.readers.reading import read_units


def make_parquet() -> bytes:
    arrow = pytest.importorskip("pyarrow")
    stream = io.BytesIO()
    table = arrow.table({"text": [f"sentence {i}" for i in range(5)]})
    importlib.import_module("pyarrow.parquet").write_table(table, stream)
    return stream.getvalue()


def make_workbook() -> bytes:
    book = Workbook()
    for i in range(5):
        book.worksheets[0].append([i, f"sentence {i}"])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


GOOD: dict[str, bytes] = {
    "text": "One.\nTwo é.\n".encode(),
    "tsv": b"id\ttext\n1\tone\n2\ttwo\n",
    "csv": b'id,text\n1,"one"\n2,"two"\n',
    "xlsx": make_workbook(),
    "tmx": b'<tmx><header/><body><tu><tuv xml:lang="en"><seg>a</seg></tuv></tu></body>'
    b"</tmx>",
    "xliff": b'<xliff><file source-language="en" target-language="fr"><body>'
    b"<trans-unit><source>a</source><target>b</target></trans-unit></body></file>"
    b"</xliff>",
    "po": b'msgid ""\nmsgstr "Language: fr\\n"\n\nmsgid "a"\nmsgstr "b"\n',
    "conllu": b"# newdoc id = d\n# author = K\n# text = ab\n1-2\tab\t_\t_\t_\t_\t_\t_"
    b"\t_\t_\n1\ta\tb\tX\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
    "tei": b'<TEI xml:lang="en"><teiHeader><fileDesc><titleStmt><title>T</title>'
    b"<author>A</author></titleStmt></fileDesc></teiHeader><text><body><p>One "
    b'<note>n</note> s. Two<lb break="no"/>x.</p><ab><s>A</s></ab></body></text></TEI>',
    "jsonl": b'{"text": "one"}\n{"text": "two"}\n',
}


@pytest.mark.parametrize("kind", [*GOOD, "parquet"])
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_broken_file_is_read_or_refused(
    kind: str, data: st.DataObject, tmp_path: Path
) -> None:
    good = GOOD[kind] if kind in GOOD else make_parquet()
    start = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(start, min(len(good), start + 20)))
    broken = good[:start] + data.draw(st.binary(max_size=20)) + good[end:]
    if data.draw(st.booleans()):
        broken = gzip.compress(broken)[: data.draw(st.integers(1, 2000))]
    path = tmp_path / "a.file"
    path.write_bytes(broken)

    with suppress(UserError):
        languages = ["en", "fr"] if kind in ("po", "xliff") else ["en"]
        units = read_units(path, languages=languages, format=kind)
        assert len(units.sides) == len(languages)
