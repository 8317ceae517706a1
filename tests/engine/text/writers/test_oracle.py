"""Another program reads what we write as we do, and writes what we read as it does.

The other program is translate-toolkit, which is GPL: in the checks only.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from translate.storage import pypo, tmx, xliff, xliff2

from app.engine.text.normalisation import clean_texts
from app.params.pairs import PairFormat
from tests.engine.text.readers.reading import read_units
from tests.engine.text.writers.made import CLEAN_TEXTS, make_record, write_records

pytest.importorskip("translate", reason="translate-toolkit is not installed")


Pairs = list[tuple[str, str]]
READERS: dict[str, Any] = {
    "tmx": tmx.tmxfile,
    "xliff-1.2": xliff.xlifffile,
    "xliff-2.0": xliff2.Xliff2File,
}
some_pairs = given(
    pairs=st.lists(st.tuples(CLEAN_TEXTS, CLEAN_TEXTS), min_size=1, max_size=4)
)
few = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("kind", ["tmx", "xliff-1.2", "xliff-2.0"])
@few
@some_pairs
def test_what_we_write_is_read_elsewhere(
    kind: PairFormat, pairs: Pairs, tmp_path_factory: pytest.TempPathFactory
) -> None:
    out = tmp_path_factory.mktemp("t") / "t.xml"
    write_records(kind, out, [make_record(*pair, i) for i, pair in enumerate(pairs)])
    store = READERS[kind].parsestring(out.read_bytes())
    found = [
        (unit.source, unit.target) for unit in store.units if unit.istranslatable()
    ]
    assert [(str(one), str(two)) for one, two in found] == pairs


@pytest.mark.parametrize("kind", ["tmx", "xliff-1.2"])
def test_notes_and_state_are_seen_elsewhere(kind: PairFormat, tmp_path: Path) -> None:
    out = tmp_path / "t.xml"
    write_records(kind, out, [make_record("Tee", "tea")._replace(note="a fine note")])
    (unit,) = READERS[kind].parsestring(out.read_bytes()).units
    assert "a fine note" in unit.getnotes()
    if kind == "xliff-1.2":
        assert unit.isapproved()
        assert unit.statemap_r[unit.get_state_n()] == "final"


@pytest.mark.parametrize("kind", ["tmx", "xliff-1.2", "xliff-2.0"])
@few
@some_pairs
def test_what_others_write_is_read(
    kind: str, pairs: Pairs, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if kind == "tmx":
        store = tmx.tmxfile(sourcelanguage="de", targetlanguage="en")
        for pair in pairs:
            store.addtranslation(pair[0], "de", pair[1], "en")
    else:
        store = READERS[kind](sourcelanguage="de", targetlanguage="en")
        for pair in pairs:
            unit = store.addsourceunit(pair[0])
            unit.target = pair[1]
    out = tmp_path_factory.mktemp("t") / "t.xml"
    out.write_bytes(bytes(store))
    units = read_units(out, format=kind.partition("-")[0], languages=["de", "en"])
    sides = [clean_texts(texts)[0] for texts in units.sides]
    assert list(zip(*sides, strict=True)) == pairs


@few
@some_pairs
def test_po_files_are_read_as_elsewhere(
    pairs: Pairs, tmp_path_factory: pytest.TempPathFactory
) -> None:
    store: Any = pypo.pofile()
    store.updateheader(add=True, Content_Type="text/plain; charset=UTF-8")
    kept = []
    for index, pair in enumerate(pairs):
        unit = store.UnitClass(pair[0])
        unit.target = pair[1]
        unit.setcontext(f"c{index}")
        store.addunit(unit)
        unit.markfuzzy(index % 3 == 1)
        if index % 3 == 2:
            unit.makeobsolete()
        if index % 3 == 0:
            kept.append((*pair, f"c{index}"))
    path = tmp_path_factory.mktemp("t") / "t.po"
    path.write_bytes(bytes(store))
    units = read_units(path, languages=["de", "en"])
    sides = [clean_texts(texts)[0] for texts in units.sides]
    assert list(zip(*sides, units.labels, strict=True)) == kept
    assert len(units.refused) == len(pairs) - len(kept)
