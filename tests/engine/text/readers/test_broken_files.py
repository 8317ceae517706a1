"""Whatever a file holds, a reader gives units or refuses it in a sentence."""

import gzip
import io
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from app.errors import UserError
from tests.engine.text.readers.reading import read_units


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
    "conllu": b"# text = a\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
    "jsonl": b'{"text": "one"}\n{"text": "two"}\n',
}


@pytest.mark.parametrize("kind", GOOD)
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_broken_file_is_read_or_refused(
    kind: str, data: st.DataObject, tmp_path: Path
) -> None:
    good = GOOD[kind]
    start = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(start, min(len(good), start + 20)))
    broken = good[:start] + data.draw(st.binary(max_size=20)) + good[end:]
    if data.draw(st.booleans()):
        broken = gzip.compress(broken)[: data.draw(st.integers(1, 2000))]
    path = tmp_path / "a.file"
    path.write_bytes(broken)

    with suppress(UserError):
        assert len(read_units(path, languages=["en"], format=kind).sides) == 1
