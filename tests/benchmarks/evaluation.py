"""Similarity of texts, spaces and the downstream suite: tables of docs/evaluation.md.

    python -m tests.benchmarks.evaluation --data EVAL [--only pool sts spaces english]

EVAL is a folder with sts/stsb.tsv.xz, flores200/dev.tsv.xz, mining/*-eng/target.tsv.xz
and classification/english.tsv.xz. Every set becomes files such as a user has, and then
his commands run in processes of their own.
"""

import argparse
import json
import lzma
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.languages import language_name, parse_language

SPACES = ("eng_Latn", "deu_Latn", "fra_Latn", "rus_Cyrl", "jpn_Jpan", "swh_Latn")
# Systems of the literature that the table names beside ours.
SYSTEMS = (
    "GloVe BoW (Conneau 2019, table 3.7)",
    "BiLSTM-max on AllNLI (Conneau 2019, table 3.7)",
    "Translation-ranking only, en-de (Chidambaram et al. 2019)",
    "Multi-task (full), en-de (Chidambaram et al. 2019)",
    "M↔M k=50 (Vázquez et al. 2020)",
)


def main() -> None:
    """Run what is asked for, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=list(SETS))
    parser.add_argument("--encoder", default="")
    options = parser.parse_args()
    for name in options.only:
        print(f"\n## {name}\n")
        with tempfile.TemporaryDirectory() as folder:
            words = SETS[name](options.data, Path(folder))
            words += ["--encoder", options.encoder] if options.encoder else []
            result = _run(words)
        PRINTERS[name](result)


def prepare_sts(data: Path, folder: Path) -> list[str]:
    """Write the test part of STSb, a file of score, text, text for each language."""
    lines = defaultdict(list)
    for language, part, _, _, *row in _read_rows(data / "sts" / "stsb.tsv.xz"):
        if part == "test":
            lines[language].append("\t".join(row))
    words = ["evaluate-sts", "--across"]
    for language, rows in lines.items():
        words += ["--data", f"{language}={_write(folder / language, rows)}"]
    return words


def prepare_spaces(data: Path, folder: Path) -> list[str]:
    """Compare the other languages with English."""
    table = _write_columns(data, folder)
    return ["evaluate-similarity-of-spaces", "--table", str(table)]


def prepare_pool(data: Path, folder: Path) -> list[str]:
    """Search English translations among the English sentences of the mining tasks."""
    table = _write_columns(data, folder)
    files = sorted((data / "mining").glob("*-eng/target.tsv.xz"))
    texts = {line.rstrip("\n").split("\t")[1] for file in files for line in _open(file)}
    pool = _write(folder / "pool.txt", sorted(texts))
    words = ["evaluate-retrieval", "--table", str(table), "--column", SPACES[0]]
    return [*words, "--pool", str(pool)]


def _write_columns(data: Path, folder: Path) -> Path:
    """Write some columns of the table of FLORES."""
    table = data / "flores200" / "dev.tsv.xz"
    rows = [line.rstrip("\n").split("\t") for line in _open(table)]
    indices = [rows[0].index(name) for name in SPACES]
    chosen = ["\t".join(row[index] for index in indices) for row in rows]
    return _write(folder / "table.tsv", chosen)


def prepare_english(data: Path, folder: Path) -> list[str]:
    """Write MR, SUBJ and CR as files of label and text."""
    lines = defaultdict(list)
    for task, *row in _read_rows(data / "classification" / "english.tsv.xz"):
        lines[task].append("\t".join(row))
    words = ["evaluate-downstream"]
    for task, rows in lines.items():
        words += ["--data", f"{task}={_write(folder / task, rows)}"]
    return words


def print_pool(result: dict[str, Any]) -> None:
    """Print a row for each language that is searched for in English."""
    print("| source | n | searched | P@1 | P@5 | P@10 | error, margin |")
    print("|---|---|---|---|---|---|---|")
    for row in result["results"]:
        if row["target"] == SPACES[0]:
            cells = [row["source"], f"{row['n']:,}", f"{row['n_pool']:,}"]
            cells += [_percent(row["precision_at"][k]) for k in ("1", "5", "10")]
            print("| " + " | ".join([*cells, _percent(row["error_margin"])]) + " |")


def print_sts(result: dict[str, Any]) -> None:
    """Print a row for each language, and the matrix of Pearson's r of the cosine."""
    rows = result["results"]
    print("| language | n | Pearson | 95 % | of −arccos | Spearman | 95 % |")
    print("|---|---|---|---|---|---|---|")
    by_key = {(r["first"], r["second"], r["similarity"]): r for r in rows}
    languages = list(dict.fromkeys(row["first"] for row in rows))
    for name in languages:
        cosine = by_key[name, name, "cosine"]
        cells = [
            language_name(parse_language(name).code),
            f"{cosine['n']:,}",
            _percent(cosine["pearson"]),
            _interval(cosine["pearson_interval"]),
            _percent(by_key[name, name, "arccos"]["pearson"]),
            _percent(cosine["spearman"]),
            _interval(cosine["spearman_interval"]),
        ]
        print("| " + " | ".join(cells) + " |")
    print("\n| first ↓ second → | " + " | ".join(languages) + " |")
    print("|---" * (len(languages) + 1) + "|")
    for first in languages:
        cells = [
            _percent(by_key[first, second, "cosine"]["pearson"]) for second in languages
        ]
        print(f"| {first} | " + " | ".join(cells) + " |")
    print(f"\nwithin {result['within']}, across {result['across']}")


def print_spaces(result: dict[str, Any]) -> None:
    """Print measures of single languages, and of two."""
    for has_second in (False, True):
        rows = [r for r in result["results"] if bool(r.get("second")) == has_second]
        names = list(dict.fromkeys(row["measure"] for row in rows))
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for row in rows:
            sides = [row["first"], row.get("second", "")][: 1 + has_second]
            low, high = row["value_interval"]
            cell = f"{row['value']:.3f} ({low:.3f}–{high:.3f})"
            found[" → ".join(sides)][row["measure"]] = cell
        print("\n| | " + " | ".join(names) + " |")
        print("|---" * (len(names) + 1) + "|")
        for title, cells in found.items():
            values = [cells.get(name, "") for name in names]
            print(f"| {title} | " + " | ".join(values) + " |")


def print_english(result: dict[str, Any]) -> None:
    """Print accuracies beside those of the literature."""
    print("| set | n | accuracy | 95 % | development | majority | difference |")
    print("|---|---|---|---|---|---|---|")
    for row in result["results"]:
        published = row["published"]
        beside = "; ".join(
            f"{system}: {100 * (row['score'] - published[system]):+.1f}"
            for system in SYSTEMS
            if system in published
        )
        cells = [
            row["data"],
            f"{row['n']:,}",
            _percent(row["score"]),
            _interval(row["score_interval"]),
            _percent(row["development"]),
            _percent(row["majority"]),
            beside,
        ]
        print("| " + " | ".join(cells) + " |")
    print(f"\n{result['averages']}")


def _run(words: list[str]) -> dict[str, Any]:
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "app", *words],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        encoding="utf-8",
    )
    print(f"{words[0]}: {time.monotonic() - begun:.0f} s\n")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _interval(ends: list[float]) -> str:
    return "–".join(_percent(end) for end in ends)


def _write(file: Path, lines: list[str]) -> Path:
    file.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return file


def _read_rows(file: Path) -> Iterator[list[str]]:
    lines = _open(file)
    next(lines)
    for line in lines:
        yield line.rstrip("\n").split("\t")


def _open(file: Path) -> Iterator[str]:
    with lzma.open(file, "rt", encoding="utf-8", newline="\n") as stream:
        yield from stream


SETS = {
    "pool": prepare_pool,
    "sts": prepare_sts,
    "spaces": prepare_spaces,
    "english": prepare_english,
}
PRINTERS = {
    "pool": print_pool,
    "sts": print_sts,
    "spaces": print_spaces,
    "english": print_english,
}

if __name__ == "__main__":
    main()
