"""Measure how well mining finds hidden translations, by each margin.

Run by hand: `python -m tests.benchmarks.mining_f1 --data DIR [--encoder NAME]`. DIR has
`mining/*-eng/` with source.tsv.xz, target.tsv.xz (id, text) and gold.tsv (id, id), and
`bucc_like/` with source.tsv, target.tsv (id, split, row of `flores200/dev.tsv.xz`) and
gold.tsv. F1 is that at the best threshold of each score. The table is Markdown.
`--among 2000` hides the pairs of `bucc_like` among so many more sentences of `mining`
a side (of those that are in no gold pair), for the languages that both have.
"""

import argparse
import lzma
import tempfile
from pathlib import Path

import numpy as np

from app.engine.mining.gold_standard import read_sentences
from app.engine.runtime.report import Report
from app.engine.tasks.evaluate_mining import evaluate_mining
from app.engine.text.line_files import read_lines
from app.params.mining import EvaluateMining, MarginName

MARGINS: tuple[MarginName, ...] = ("ratio", "distance", "absolute")
ENGLISH = "eng_Latn"
LANGUAGES = (
    *("deu_Latn", "fra_Latn", "spa_Latn", "rus_Cyrl", "zho_Hans"),
    *("arb_Arab", "jpn_Jpan", "tur_Latn", "fin_Latn", "hin_Deva"),
)
BOTH = {
    "deu_Latn": "deu-eng",
    "fra_Latn": "fra-eng",
    "rus_Cyrl": "rus-eng",
    "zho_Hans": "cmn-eng",
}
Files = tuple[Path, Path, Path]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--encoder", default="")
    parser.add_argument("--k", type=int, default=4)
    parser.add_argument("--among", type=int, action="append", default=[])
    options = parser.parse_args()
    print(f"| | {' | '.join(MARGINS)} | P, R, threshold by ratio |")
    print("|---" * (len(MARGINS) + 2) + "|")
    if options.among:
        _measure_among(options)
        return
    names = ("source.tsv.xz", "target.tsv.xz", "gold.tsv")
    folders = sorted((options.data / "mining").glob("*-eng"))
    large = [
        _measure(one.name, (one / names[0], one / names[1], one / names[2]), options)
        for one in folders
    ]
    _print_means("mean of these", large)
    with tempfile.TemporaryDirectory(prefix="isogloss-bench-") as made:
        small = [
            _measure(one, _write_flores(options.data, Path(made), one), options)
            for one in LANGUAGES
        ]
    _print_means("mean of these", small)


def _measure_among(options: argparse.Namespace) -> None:
    """Hide the small sets in parts of the large ones."""
    with tempfile.TemporaryDirectory(prefix="isogloss-bench-") as made:
        for language, pair in BOTH.items():
            *sides, gold = _write_flores(options.data, Path(made), language)
            folder = options.data / "mining" / pair
            cells = [line.split("\t") for line in read_lines(folder / "gold.tsv")]
            for n in options.among:
                mixed = []
                for side, ids in zip(sides, zip(*cells, strict=True), strict=True):
                    texts = read_sentences(folder / f"{side.stem}.tsv.xz")
                    others = [one for id_, one in texts.items() if id_ not in ids][:n]
                    lines = [f"among{i}\t{text}\n" for i, text in enumerate(others)]
                    mixed.append(side.with_name(f"{side.stem}-among.tsv"))
                    told = side.read_text("utf-8") + "".join(lines)
                    mixed[-1].write_text(told, "utf-8", newline="\n")
                _measure(f"{language} among {n:,}", (mixed[0], mixed[1], gold), options)


def _measure(name: str, files: Files, options: argparse.Namespace) -> list[float]:
    """Print a line of the table; returns F1 by each margin."""
    source, target, gold = files
    found: list[float] = []
    told = ""
    for margin in MARGINS:
        params = EvaluateMining(
            source=source,
            target=target,
            gold=gold,
            encoder=options.encoder,
            k=options.k,
            margin=margin,
        )
        got = evaluate_mining(None, params, Report())
        found.append(got.f1)
        if margin == "ratio":
            rates = f"{100 * got.precision:.1f} %, {100 * got.recall:.1f} %"
            told = f"{rates}, {got.threshold:.3f}"
    print(f"| {name} | {_cells(found)} | {told} |", flush=True)
    return found


def _print_means(name: str, rows: list[list[float]]) -> None:
    print(f"| {name} | {_cells(np.mean(rows, axis=0).tolist())} | |", flush=True)


def _cells(values: list[float]) -> str:
    told = [f"{100 * value:.1f} %" for value in values]
    best = told[int(np.argmax(values))]
    return " | ".join(f"**{one}**" if one == best else one for one in told)


def _write_flores(data: Path, folder: Path, language: str) -> Files:
    """Write the sentences that the rows name, in a language and in English."""
    table = data / "flores200" / "dev.tsv.xz"
    with lzma.open(table, "rt", encoding="utf-8", newline="\n") as stream:
        rows = [line.rstrip("\n").split("\t") for line in stream]
    columns = dict(zip(rows[0], np.array(rows[1:]).T.tolist(), strict=True))
    for side, code in (("source", language), ("target", ENGLISH)):
        lines = (data / "bucc_like" / f"{side}.tsv").read_text("utf-8").splitlines()
        cells = [line.split("\t") for line in lines[1:]]
        texts = [f"{id_}\t{columns[code][int(row)]}\n" for id_, _, row in cells]
        (folder / f"{side}.tsv").write_text("".join(texts), "utf-8", newline="\n")
    gold = data / "bucc_like" / "gold.tsv"
    return folder / "source.tsv", folder / "target.tsv", gold


if __name__ == "__main__":
    main()
