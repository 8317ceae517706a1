"""What is written is read again as it was, whatever the texts hold."""

from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.engine.text.normalisation import clean_text, clean_texts
from app.params.pairs import PairFormat
from tests.engine.text.readers.reading import read_units
from tests.engine.text.writers.made import (
    CLEAN_TEXTS,
    DIRTY_TEXTS,
    NASTY,
    make_record,
    write_records,
)

NOT_READ = ("tei", "paraconc", "tbx")  # exported only
READABLE = [kind for kind in get_args(PairFormat) if kind not in NOT_READ]
SUFFIXES = {"xliff-1.2": "xlf", "xliff-2.0": "xlf"}
LANGUAGES = ["de", "zh-Hans"]
Pairs = list[tuple[str, str]]
by_format = pytest.mark.parametrize("kind", READABLE)
few = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
TROUBLE = [
    (clean_text(f"a{one}b")[0], clean_text(f"{one} {one}")[0])
    for one in NASTY
    if one.strip()
]


def read_again(kind: PairFormat, pairs: Pairs, folder: Path) -> Pairs:
    """Write pairs, and read what was written without any hint of ours."""
    out = folder / f"t.{SUFFIXES.get(kind, kind)}"
    records = [make_record(*pair, number) for number, pair in enumerate(pairs, 1)]
    files, _ = write_records(kind, out, records)
    says_languages = kind.startswith(("tmx", "xliff"))
    found = read_units(*files, languages=[] if says_languages else LANGUAGES)
    assert found.reading.languages == tuple(LANGUAGES)
    assert found.refused == []
    sides = [clean_texts(texts)[0] for texts in found.sides]
    return list(zip(*sides, strict=True))


@by_format
@few
@example(pairs=TROUBLE)
@given(pairs=st.lists(st.tuples(CLEAN_TEXTS, CLEAN_TEXTS), min_size=1, max_size=5))
def test_pairs_come_back_unit_by_unit(
    kind: PairFormat, pairs: Pairs, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert read_again(kind, pairs, tmp_path_factory.mktemp("t")) == pairs


@by_format
@few
@given(pairs=st.lists(st.tuples(DIRTY_TEXTS, DIRTY_TEXTS), min_size=1, max_size=5))
def test_what_no_file_may_hold_leaves_the_rest_as_it_was(
    kind: PairFormat, pairs: Pairs, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = [("the first", "pair"), *pairs]
    found = read_again(kind, whole, tmp_path_factory.mktemp("t"))
    for texts, now in zip(whole, found, strict=True):
        wanted = clean_texts(texts)[0]
        assert ["".join(one.split()) for one in now] == [
            "".join(one.split()) for one in wanted
        ]
