"""Steps of `start.py test`, with times and a summary."""

import os
import subprocess
import time
from pathlib import Path

from installers.set_up import say

STEPS = (
    ("ruff check", ("-m", "ruff", "check", ".")),
    ("ruff format", ("-m", "ruff", "format", "--check", ".")),
    ("mypy", ("-m", "mypy", "-n", "2")),
    (
        "layer contracts",
        ("-c", "from importlinter.cli import lint_imports_command as c; c()"),
    ),
    ("pytest", ("-m", "pytest", "-n", "4", "--dist", "worksteal")),
)


def run_checks(
    python: Path, root: Path, steps: tuple[tuple[str, tuple[str, ...]], ...] = STEPS
) -> int:
    """Run every step, also after a failure; return 0 if all passed, else 1."""
    environment = {
        **os.environ,
        "PYTHONDONTWRITEBYTECODE": "",  # else each engine compiles all modules again
        "QT_QPA_PLATFORM": "offscreen",
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
    }
    outcomes: list[tuple[str, bool, float]] = []
    for name, arguments in steps:
        say(f"{name} …")
        start = time.monotonic()
        run = subprocess.run([str(python), *arguments], cwd=root, env=environment)
        outcomes.append((name, run.returncode == 0, time.monotonic() - start))
    say("what was checked:")
    for name, passed, elapsed_s in outcomes:
        say(f"  {name:15} {'passed' if passed else 'FAILED'} {elapsed_s:7.1f} s")
    total_s = sum(elapsed_s for _, _, elapsed_s in outcomes)
    say(f"  {'in all':15} {'':6} {total_s:7.1f} s")
    return 0 if all(passed for _, passed, _ in outcomes) else 1
