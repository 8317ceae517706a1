"""Retrieval between every two of thirty languages: the matrix of docs/evaluation.md.

    python -m tests.benchmarks.retrieval_matrix --data EVAL [--encoder E]

EVAL is a folder with flores200/dev.tsv.xz: 997 sentences, one language a column. The
command of a user runs in a process of its own, and its time is that from start to end.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

# Of the languages of the table those with most speakers, mother tongue and second
# (Ethnologue's order of magnitude), and others so that families and scripts vary.
LANGUAGES = (
    *("eng_Latn", "zho_Hans", "hin_Deva", "spa_Latn", "fra_Latn", "arb_Arab"),
    *("ben_Beng", "por_Latn", "rus_Cyrl", "urd_Arab", "ind_Latn", "deu_Latn"),
    *("jpn_Jpan", "mar_Deva", "tel_Telu", "tur_Latn", "tam_Taml", "vie_Latn"),
    *("kor_Hang", "ita_Latn", "pol_Latn", "ukr_Cyrl", "nld_Latn", "tha_Thai"),
    *("ell_Grek", "fin_Latn", "heb_Hebr", "hun_Latn", "swh_Latn", "amh_Ethi"),
)


def main() -> None:
    """Run the command and print its table and time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--encoder", default="")
    options = parser.parse_args()
    table = options.data / "flores200" / "dev.tsv.xz"
    words = ["evaluate-retrieval", "--table", str(table), "--matrix"]
    words += [word for name in LANGUAGES for word in ("--column", name)]
    words += ["--encoder", options.encoder] if options.encoder else []
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "app", *words],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        encoding="utf-8",
    )
    seconds = time.monotonic() - begun
    result = json.loads(done.stdout)
    _print_means(result)
    _print_matrix(result["matrix"])
    print(f"\n{len(LANGUAGES)} languages, {result['n']} rows: {seconds:.0f} s")


def _print_means(result: dict[str, Any]) -> None:
    rows = result["results"]
    columns = {
        "error, nearest neighbour": [row["error"] for row in rows],
        "error, margin": [row["error_margin"] for row in rows],
    }
    for k in ("1", "5", "10"):
        columns[f"P@{k}"] = [row["precision_at"][k] for row in rows]
    for name, values in columns.items():
        print(f"{name}: {100 * np.mean(values):.1f} %")


def _print_matrix(matrix: dict[str, dict[str, float]]) -> None:
    """Print errors in %, sources below each other."""
    short = {name: name[:3] for name in matrix}
    print("\n| source ↓ target → | " + " | ".join(short.values()) + " | mean |")
    print("|---" * (len(matrix) + 2) + "|")
    for source, row in matrix.items():
        cells = [f"{100 * row[one]:.0f}" if one in row else "" for one in matrix]
        mean = f"{100 * np.mean(list(row.values())):.1f}"
        print(f"| {short[source]} | " + " | ".join([*cells, mean]) + " |")


if __name__ == "__main__":
    main()
