"""Time and quality of document alignment, encoding included, with its memory.

Run by hand: `python -m tests.benchmarks.alignment [--sentences N] [--pairs FILE]`.
First the quality over the sample corpora, against links that are known since the
documents are made of known translations (`tests/engine/alignment/made.py`); then two
documents of N sentences, in a process of its own, within `MAX_S` on 2 cores. They are
made of the samples again and again with numbers that differ, or of FILE (source, tab,
target; also .xz).
"""

import argparse
import lzma
import resource
import time
from itertools import combinations
from pathlib import Path

import numpy as np

from app.engine.alignment.paths import AlignmentSettings, align
from app.engine.alignment.spans import encode_spans
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.registry import load_encoder
from app.engine.runtime.report import Report
from app.paths import resource_dir
from tests.engine.alignment.made import (
    Documents,
    lax,
    links_of,
    make_documents,
    read_samples,
    strict,
)

MAX_S = 60.0
SEEDS = (1, 2, 3)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=5_000)
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--languages", nargs=2, default=("de", "en"))
    parser.add_argument("--encoder", default="")
    parser.add_argument("--joined", type=int, default=4)
    parser.add_argument("--skip", type=float, default=0.5)
    parser.add_argument("--speed", action="store_true", help="leave the samples out")
    options = parser.parse_args()
    search = AlignmentSettings(joined=options.joined, quantile=options.skip)
    encoder = load_encoder(options.encoder)
    if not options.speed:
        report_samples(encoder, search)
    report_speed(encoder, search, options)


def report_samples(encoder: Encoder, search: AlignmentSettings) -> None:
    """Print strict and lax F1 over each two languages of the samples."""
    folder = resource_dir() / "samples"
    samples = {
        file.stem: read_samples(folder, file.stem)
        for file in sorted(folder.glob("*.tsv"))
    }
    values = []
    for one, other in combinations(samples, 2):
        for seed in SEEDS:
            random = np.random.default_rng(seed)
            pairs = list(zip(samples[one][0], samples[other][0], strict=True))
            strangers = samples[one][1], samples[other][1]
            made = make_documents(pairs, strangers, (one, other), random)
            found = find_links(encoder, made, (one, other), search)
            values.append(
                (one, other, strict(found, made.gold).f1, lax(found, made.gold).f1)
            )
    for language in samples:
        own = np.array([v[2:] for v in values if language in v[:2]])
        print(
            f"{language}: strict F1 {own[:, 0].mean():.3f}, lax {own[:, 1].mean():.3f}"
        )
    both = np.array([v[2:] for v in values])
    print(
        f"{len(values)} documents of {len(samples)} languages: strict F1 "
        f"{both[:, 0].mean():.3f} (lowest {both[:, 0].min():.3f}), lax "
        f"{both[:, 1].mean():.3f} (lowest {both[:, 1].min():.3f})"
    )


def report_speed(
    encoder: Encoder, search: AlignmentSettings, options: argparse.Namespace
) -> None:
    """Print time, memory and quality of two long documents."""
    languages = tuple(options.languages)
    pairs = read_pairs(options.pairs) if options.pairs else number_samples(*languages)
    random = np.random.default_rng(1)
    pairs = [pairs[i % len(pairs)] for i in range(round(1.1 * options.sentences))]
    made = make_documents(pairs, ([], []), (languages[0], languages[1]), random)
    texts = tuple(side[: options.sentences] for side in (made.sources, made.targets))
    is_there = [
        link
        for link in made.gold
        if link[0][-1] < len(texts[0]) and link[1][-1] < len(texts[1])
    ]
    made = Documents(texts[0], texts[1], is_there)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.monotonic()
    found = find_links(encoder, made, (languages[0], languages[1]), search)
    seconds = time.monotonic() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{len(texts[0]):,} × {len(texts[1]):,} sentences by {encoder.name}: "
        f"{seconds:.1f} s of {MAX_S:.0f} s allowed, {peak / 1024:,.0f} MB at the peak "
        f"({(peak - before) / 1024:,.0f} MB more than before); strict F1 "
        f"{strict(found, made.gold).f1:.3f}, lax {lax(found, made.gold).f1:.3f}"
    )


def find_links(
    encoder: Encoder,
    made: Documents,
    languages: tuple[str, str],
    search: AlignmentSettings,
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Align two documents."""
    source, target = (
        encode_spans(encoder, texts, language, search.joined, Report(), "encode")
        for texts, language in zip(made[:2], languages, strict=True)
    )
    path, _ = align(source, target, search, Report())
    return links_of(path.moves.tolist())


def number_samples(one: str, other: str) -> list[tuple[str, str]]:
    """Return the known pairs of the samples again and again, each with a number."""
    folder = resource_dir() / "samples"
    sides = [read_samples(folder, language)[0] for language in (one, other)]
    return [
        (f"{source} ({number})", f"{target} ({number})")
        for number in range(1_000, 1_200)
        for source, target in zip(*sides, strict=True)
    ]


def read_pairs(file: Path) -> list[tuple[str, str]]:
    """Read source and target of each line."""
    opened = lzma.open if file.suffix == ".xz" else open
    with opened(file, "rt", encoding="utf-8") as stream:
        cells = [line.rstrip("\n").split("\t") for line in stream]
    return [(cell[0], cell[1]) for cell in cells if len(cell) > 1]


if __name__ == "__main__":
    main()
