"""Write translation equivalents and their examples to TSV or TBX."""

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Engine

from app.engine.store.corpora import corpus_of, list_corpora
from app.engine.store.sentences import read_sentences
from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.tbx import TermPair, write_tbx
from app.errors import UserError
from app.number_format import format_percent, format_score
from app.params.words import Equivalents
from app.protocol.answers.words import (
    EquivalentRow,
    EquivalentsAnswer,
    EquivalentScores,
)

ENDINGS = (".tsv", ".tbx")


class EquivalentExample(msgspec.Struct, frozen=True):
    """A pair of sentences, with the corpus and line of each."""

    source: str
    source_place: str
    target: str
    target_place: str


def check_ending(params: Equivalents) -> None:
    """Check the file name extension.

    Raises:
        UserError: the extension is neither .tsv nor .tbx.
    """
    if params.out is not None and params.out.suffix.lower() not in ENDINGS:
        raise UserError(
            f"Unknown format of {params.out.name}. Use a name ending in .tsv or .tbx."
        )


def write_equivalents(
    store: Engine,
    params: Equivalents,
    answer: EquivalentsAnswer,
    source_language: str,
) -> None:
    """Write the answer if `params.out` is set; replace an existing file.

    Raises:
        UserError: the file can't be written.
    """
    if params.out is None:
        return
    examples = read_examples(store, [row.examples for row in answer.rows])
    with OutputFiles(replace=True) as files:
        stream = files.open(params.out)
        if params.out.suffix.lower() == ".tsv":
            stream.write(_table(params.text, answer, examples).encode())
        else:
            pairs = [
                TermPair(params.text, row.form, _notes(answer, row, some))
                for row, some in zip(answer.rows, examples, strict=True)
            ]
            languages = source_language, params.target_language
            title = f"Equivalents of {params.text} ({languages[0]}–{languages[1]})"
            write_tbx(stream, title, languages, pairs)
        files.commit()


def read_examples(
    store: Engine, ids: Sequence[Sequence[tuple[int, int]]]
) -> list[list[EquivalentExample]]:
    """Read the sentences of examples; skip deleted ones."""
    wanted = sorted({id_ for some in ids for pair in some for id_ in pair})
    found = {row.id: row for row in read_sentences(store, wanted) if row is not None}
    names = {corpus.id: corpus.name for corpus in list_corpora(store)}

    def cited(id_: int) -> tuple[str, str]:
        row = found[id_]
        return row.text, f"{names.get(corpus_of(id_), '')}:{row.line}"

    return [
        [
            EquivalentExample(*cited(source), *cited(target))
            for source, target in some
            if source in found and target in found
        ]
        for some in ids
    ]


def _table(
    text: str,
    answer: EquivalentsAnswer,
    examples: Sequence[Sequence[EquivalentExample]],
) -> str:
    n_examples = max(map(len, examples), default=0)
    head = ["word", "n_word", "n_pairs", *EquivalentScores.__struct_fields__]
    for number in range(1, n_examples + 1):
        fields = EquivalentExample.__struct_fields__
        head += [f"{name}_{number}" for name in fields]
    rows = [head]
    for row, some in zip(answer.rows, examples, strict=True):
        cells = [text, str(answer.n_word), str(answer.n_pairs)]
        cells += [_cell(value) for value in msgspec.structs.astuple(row)[:-1]]
        cells += [cell for one in some for cell in msgspec.structs.astuple(one)]
        rows.append(cells + [""] * (len(head) - len(cells)))
    lines = ("\t".join(" ".join(cell.split()) for cell in row) for row in rows)
    return "".join(f"{line}\n" for line in lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _notes(
    answer: EquivalentsAnswer,
    row: EquivalentRow,
    examples: Sequence[EquivalentExample],
) -> list[str]:
    value, low, high = (
        format_percent(part, 1) for part in (row.share, row.low, row.high)
    )
    notes = [
        f"In {row.n:,} of {answer.n_word:,} pairs with the word: {value} ({low} – "
        f"{high}); score {format_score(row.score, 1)}, log-likelihood "
        f"{row.log_likelihood:.1f}, Dice {row.dice:.3f}."
    ]
    if row.in_dictionary:
        notes.append("Confirmed by the dictionary.")
    notes += [
        f"{one.source} ({one.source_place}) = {one.target} ({one.target_place})"
        for one in examples
    ]
    return notes
