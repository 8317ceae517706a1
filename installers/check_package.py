"""Install Isogloss with pip in an empty environment, and run its tour elsewhere.

Run by hand, since it takes minutes: `python -m installers.check_package --out DIR`.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from installers.set_up import say
from installers.set_up.environment import read_torch_pin, venv_python

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Check the package, and return the tour's exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="Folder for pictures.")
    parser.add_argument("--wheels", type=Path, help="Folder of wheels; no network.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = install(folder / "environment", options.wheels)
        return run_tour(command, folder, options.out.resolve())


def install(folder: Path, wheels: Path | None) -> Path:
    """Install the checkout as a user would, and return the command `isogloss`."""
    say(f"Making the environment {folder} …")
    venv.create(folder, with_pip=True)
    python = venv_python(folder)
    lock = ROOT / "installers" / "constraints.txt"
    options = ["--constraint", str(lock)]
    if wheels is not None:
        options += ["--no-index", "--find-links", str(wheels.resolve())]
    say("Installing …")
    command = [str(python), "-I", "-m", "pip", "install", "--quiet", *options]
    # Install the lock's torch first: another matching version would download gigabytes.
    subprocess.run([*command, read_torch_pin(ROOT)], check=True)
    subprocess.run([*command, str(ROOT)], check=True)
    return python.with_name("isogloss.exe" if sys.platform == "win32" else "isogloss")


def run_tour(command: Path, folder: Path, out: Path) -> int:
    """Run the installed tour from another folder."""
    environment = {**os.environ, "ISOGLOSS_DATA": str(folder / "data")}
    environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    environment.pop("PYTHONPATH", None)
    say(f"Running {command} tour …")
    tour = [str(command), "tour", "--out", str(out)]
    return subprocess.run(tour, cwd=folder, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
