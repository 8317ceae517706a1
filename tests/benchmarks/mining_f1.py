"""Measure how well mining finds hidden translations, by ratio and by absolute cosine.

Run by hand: `python -m tests.benchmarks.mining_f1 --data DIR [--encoder NAME]`. DIR has
`mining/*-eng/` with source.tsv.xz, target.tsv.xz (id, text) and gold.tsv (id, id), and
`bucc_like/` with source.tsv, target.tsv (id, split, row of `flores200/dev.tsv.xz`) and
gold.tsv. F1 is that at the best threshold of each score.
"""

import argparse
import lzma
import tempfile
from pathlib import Path

import numpy as np

from app.engine.report import Report
from app.engine.tasks.evaluate_mining import evaluate_mining
from app.params.mining import EvaluateMining

ENGLISH = "eng_Latn"
LANGUAGES = (
    *("deu_Latn", "fra_Latn", "spa_Latn", "rus_Cyrl", "zho_Hans"),
    *("arb_Arab", "jpn_Jpan", "tur_Latn", "fin_Latn", "hin_Deva"),
)
Files = tuple[Path, Path, Path]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--encoder", default="")
    options = parser.parse_args()
    for folder in sorted((options.data / "mining").glob("*-eng")):
        names = ("source.tsv.xz", "target.tsv.xz", "gold.tsv")
        files = folder / names[0], folder / names[1], folder / names[2]
        _measure(folder.name, files, options.encoder)
    with tempfile.TemporaryDirectory(prefix="isogloss-bench-") as made:
        for language in LANGUAGES:
            files = _write_flores(options.data, Path(made), language)
            _measure(f"bucc_like {language}", files, options.encoder)


def _measure(name: str, files: Files, encoder: str) -> None:
    source, target, gold = files
    told = [f"{name:<24}"]
    for margin in ("ratio", "absolute"):
        params = EvaluateMining(
            source=source, target=target, gold=gold, encoder=encoder, margin=margin
        )
        got = evaluate_mining(None, params, Report())
        rates = f"P {got.precision:6.1%}  R {got.recall:6.1%}  F1 {got.f1:6.1%}"
        told.append(f"{margin} {rates} at {got.threshold:.3f}")
    print("   ".join(told), flush=True)


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
