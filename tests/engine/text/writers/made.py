"""Pairs to write in a test, and one call that writes them."""

from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

from app.engine.text.normalisation import clean_text
from app.engine.text.writers import open_writer
from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import PairHeader, PairRecord
from app.engine.text.writers.tally import ExportTally
from app.params.pairs import PairFormat

HEAD = PairHeader(
    name="letters",
    source_language="de",
    target_language="zh-Hans",
    source_corpus="Briefe",
    target_corpus="letters & notes",
    created_at=1_700_000_000.0,
    is_scored=True,
    encoder="isogloss-2",
    fingerprint="0123456789abcdef",
    margin="ratio",
    run=7,
    version="1.0",
)
NASTY = (
    *(
        "]]>",
        "<!--",
        "-->",
        "<b>",
        "&",
        "&amp;",
        "&#0;",
        "<?x?>",
        "\\n",
        "\\",
        '"',
        "'",
    ),
    *('""', ",", ";", "\t", "|", "=1+1", "@", "#~", "_x0041_", "_x005F_", "%s", "{0}"),
    *("  ", "\u00a0", "\u3000", "\u200f", "\u202e", "\u2066", "\u200d", "e\u0301"),
    *("\U0001f600", "\u0e01", "TRUE", "#N/A", "1e5", "\ufdd0", "source", "msgid"),
)
DIRT = ("\x00", "\x01", "\x0b", "\x1f", "\x7f", "\x85", "\ud800", "\udfff", "\ufffe",
        "\uffff", "\r\n", "\u2028", "\ufeff")  # fmt: skip
PIECES = st.sampled_from(NASTY) | st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5
)
CLEAN_TEXTS = (
    st.lists(PIECES, min_size=1, max_size=6)
    .map(lambda parts: clean_text("".join(parts))[0])
    .filter(bool)
)
DIRTY_TEXTS = st.lists(PIECES | st.sampled_from(DIRT), max_size=6).map(
    lambda parts: "x" + "".join(parts)
)


def make_record(source: str, target: str, number: int = 1) -> PairRecord:
    """Make a judged pair."""
    return PairRecord(
        id=str(number),
        source=source,
        target=target,
        source_parts=(source,),
        target_parts=(target,),
        source_language="de",
        target_language="zh-Hans",
        source_line=number,
        target_line=number,
        score=1.0625,
        cosine=0.75,
        source_mean=0.5,
        target_mean=0.25,
        verdict="accept",
        tags=("good",),
        note=target,
        who="ann",
        judged_at=1_700_000_100.0,
    )


def write_records(
    kind: PairFormat,
    out: Path,
    records: Sequence[PairRecord],
    header: PairHeader = HEAD,
) -> tuple[tuple[Path, ...], ExportTally]:
    """Write pairs as the task does; returns the files and what was counted."""
    tally = ExportTally()
    with OutputFiles(replace=True) as files:
        writer = open_writer(kind, files, out, header, tally)
        try:
            writer.write([tally.clean_record(record) for record in records])
            writer.finish()
        finally:
            writer.close()
        files.commit()
    return files.paths, tally
