"""What the thresholds of coverage and of the overlap of labelled data mean.

    python -m tests.benchmarks.thresholds --data EVAL [--encoder E]

EVAL is a folder with flores200/dev.tsv.xz. Coverage: each column is rated, and the
error of finding each sentence's translation in English, and the other way round, is
averaged over the columns of a rating. Overlap: the first 500 English sentences are a
training set; of all sentences of a language, the first 500 are their translations.
"""

import argparse
import lzma
from collections import defaultdict
from pathlib import Path

import numpy as np

from app.arrays import FloatArray
from app.engine.classify.labelled_rows import LabelledRows
from app.engine.classify.overlap import find_overlap
from app.engine.encoders.coverage import (
    assess_coverage,
    measure_pieces,
    measure_vectors,
)
from app.engine.encoders.folder import read_config
from app.engine.encoders.registry import find_encoder, load_encoder
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.text.word_vocabulary import PieceCounter
from app.engine.training.development import retrieval_error
from app.languages import is_trained_on, parse_language
from app.results.coverage import COVERAGE_RATINGS, LanguageCoverage

PIVOT = "eng_Latn"
N_TRAINED = 500  # English sentences of the training set
OVERLAPPING = ("deu_Latn", "rus_Cyrl", "arb_Arab", "tha_Thai")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--encoder", default="")
    options = parser.parse_args()
    texts = read_columns(options.data / "flores200" / "dev.tsv.xz")
    encoder = load_encoder(options.encoder)
    print(encoder.name)
    vectors = {
        code: normalise_rows(encoder.encode(rows))[0] for code, rows in texts.items()
    }
    assert isinstance(encoder, PieceCounter)
    trained = read_config(find_encoder(options.encoder)).languages
    print_ratings(encoder, trained, texts, vectors)
    for code in OVERLAPPING:
        print_overlap(code, texts, vectors)


def read_columns(file: Path) -> dict[str, list[str]]:
    """Read a table with a header: the rows of each column."""
    with lzma.open(file, "rt", encoding="utf-8") as stream:
        head, *rows = (line.rstrip("\n").split("\t") for line in stream)
    return {name: [row[i] for row in rows] for i, name in enumerate(head)}


def print_ratings(
    encoder: PieceCounter,
    trained: tuple[str, ...],
    texts: dict[str, list[str]],
    vectors: dict[str, FloatArray],
) -> None:
    """Print the mean error of the columns of each rating."""
    errors: dict[str, dict[str, float]] = defaultdict(dict)
    for code, rows in texts.items():
        if code == PIVOT:
            continue
        pieces, shape = measure_pieces(encoder, rows), measure_vectors(vectors[code])
        language = parse_language(code).code
        measured = LanguageCoverage(
            language=language,
            verdict="green",
            n=len(rows),
            trained=is_trained_on(language, trained),
            unknown=pieces.unknown,
            pieces=pieces.pieces,
            per=pieces.per,
            script=pieces.script,
            hubs=shape.hubs,
            zero=shape.zero,
        )
        rating, _ = assess_coverage(measured)
        found = retrieval_error(vectors[code], vectors[PIVOT], Report())
        errors[rating][code] = 100 * found.mean
    for rating in COVERAGE_RATINGS:
        own = sorted(errors[rating].items(), key=lambda item: item[1])
        values = [value for _, value in own]
        print(f"{rating}: {len(own)} columns, mean error {np.mean(values):.1f} %")
        print("  best", ", ".join(f"{code} {value:.1f}" for code, value in own[:3]))
        print("  worst", ", ".join(f"{code} {value:.1f}" for code, value in own[-3:]))


def print_overlap(
    code: str, texts: dict[str, list[str]], vectors: dict[str, FloatArray]
) -> None:
    """Print the share of translations that are found, and of others that are taken."""
    train = _labelled(texts[PIVOT][:N_TRAINED])
    overlap = find_overlap(
        train,
        _labelled(texts[code]),
        (vectors[PIVOT][:N_TRAINED],),
        (vectors[code],),
    )
    found = overlap.translations | overlap.duplicates
    print(
        f"{code}: {100 * found[:N_TRAINED].mean():.1f} % of translations found, "
        f"{100 * found[N_TRAINED:].mean():.1f} % of other sentences"
    )


def _labelled(texts: list[str]) -> LabelledRows:
    indices = np.arange(len(texts), dtype=np.int64)[:, None]
    return LabelledRows("table", (texts,), ["label"] * len(texts), indices)


if __name__ == "__main__":
    main()
