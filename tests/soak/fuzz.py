"""Fuzz every reader, archive, encoder folder, project database and the protocol.

    python -m tests.soak.fuzz [--seconds 600] [--targets tmx po] [--corpus FOLDER]

Atheris (`pip install atheris`, Linux and macOS) guides the cases by the coverage of
`app`. Cases that reach new code stay in the folder of the corpus for the next run. A
case that ends in anything but an answer or a sentence for the user is a finding: it is
kept in the folder `findings`, one for each place in the code. Prints the number of
cases, the coverage and the findings of each target; returns 1 if there is a finding.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

CORPUS = Path(".fuzz-corpus")
MAX_BYTES, CASE_S, MEMORY_MB = 8_192, 30, 2_048
_CASES = re.compile(r"stat::number_of_executed_units:\s*(\d+)|^#(\d+)\s", re.MULTILINE)
_COVERAGE = re.compile(r"cov: (\d+)")


def main() -> int:
    """Fuzz the targets one after the other and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="of all targets")
    parser.add_argument("--targets", nargs="+")
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        return _fuzz_one(options.one, options.corpus, options.seconds)
    # not above: atheris instruments only what is not imported yet
    from tests.soak.fuzz_targets import TARGETS

    targets = options.targets or list(TARGETS)
    print(f"{'target':12} {'cases':>10} {'coverage':>9} {'findings':>9}", flush=True)
    shares = sum(TARGETS[name] for name in targets)
    n_cases = n_findings = 0
    for name in targets:
        command = [sys.executable, "-m", "tests.soak.fuzz", "--one", name]
        seconds = max(5.0, options.seconds * TARGETS[name] / shares)
        command += ["--seconds", f"{seconds:.0f}", "--corpus", str(options.corpus)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, errors="replace"
        )
        cases, coverage = _read_figures(done.stderr)
        findings = sorted((options.corpus / "findings").glob(f"{name}-*.txt"))
        note = "" if done.returncode == 0 else f"  ended with {done.returncode}"
        print(
            f"{name:12} {cases:10,} {coverage:9,} {len(findings):9}{note}", flush=True
        )
        if done.returncode:
            print(done.stderr[-2_000:], flush=True)
        n_cases += cases
        n_findings += len(findings)
    print(f"{'all':12} {n_cases:10,} {'':9} {n_findings:9}")
    return 1 if n_findings else 0


def _read_figures(log: str) -> tuple[int, int]:
    """Read cases and coverage from the log of libFuzzer."""
    cases = [int(final or running) for final, running in _CASES.findall(log)]
    coverage = [int(found) for found in _COVERAGE.findall(log)]
    return max(cases, default=0), max(coverage, default=0)


def _fuzz_one(name: str, corpus: Path, seconds: float) -> int:
    """Fuzz one target in this process, which libFuzzer ends."""
    try:
        import atheris
    except ImportError:
        sys.exit("Install atheris first: pip install atheris")
    with atheris.instrument_imports(include=["app"]):
        from tests.soak.fuzz_targets import find_fault, make_target

        target = make_target(name)
    cases, findings = corpus / name, corpus / "findings"
    cases.mkdir(parents=True, exist_ok=True)
    findings.mkdir(exist_ok=True)
    for number, seed in enumerate(target.seeds):
        (cases / f"seed-{number}").write_bytes(seed)
    folder = Path(tempfile.mkdtemp(prefix="isogloss-fuzz-"))
    os.environ["ISOGLOSS_DATA"] = str(folder)  # opened projects are listed there

    def run(data: bytes) -> None:
        fault = find_fault(target, data, folder)
        if fault is not None:
            _keep(findings, name, data, fault)

    largest = max(MAX_BYTES, *map(len, target.seeds))
    arguments = ["fuzz", str(cases), f"-max_total_time={seconds:.0f}"]
    arguments += [f"-max_len={largest}", f"-timeout={CASE_S}", "-print_final_stats=1"]
    arguments += [f"-rss_limit_mb={MEMORY_MB}", f"-artifact_prefix={findings}/{name}-"]
    atheris.Setup(arguments, run)
    atheris.Fuzz()
    return 0


def _keep(findings: Path, name: str, data: bytes, fault: Exception) -> None:
    """Keep the first case of each place in the code."""
    cause = fault.__cause__ or fault
    last = traceback.extract_tb(cause.__traceback__)[-1]
    stem = f"{name}-{type(cause).__name__}-{Path(last.filename).stem}-{last.lineno}"
    if not (findings / f"{stem}.txt").exists():
        (findings / stem).write_bytes(data)
        text = "".join(traceback.format_exception(cause))
        (findings / f"{stem}.txt").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
