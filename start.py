"""Set up and open Isogloss: `python3 start.py`; run checks: `python3 start.py test`.

Standard library only. The first start creates the environment `.venv` and installs the
packages locked in `installers/`; later starts open the workbench at once.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs it may have an older one
    sys.exit(
        "isogloss: Isogloss needs Python 3.11 or newer and this is "
        + ".".join(str(part) for part in sys.version_info[:2])
        + ": install a newer one from your system's packages or python.org, "
        "then run start.py with it."
    )

import argparse
import os
import subprocess
from pathlib import Path

from installers.set_up import SetUpError, say
from installers.set_up.checks import run_checks
from installers.set_up.environment import make_ready
from installers.set_up.qt_libraries import has_display, qt_trouble
from installers.set_up.torch_build import TorchChoice

ROOT = Path(__file__).resolve().parent
EXIT_INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    """Run the command line, and return the exit code."""
    options = read_options(arguments)
    choice = TorchChoice(options.cpu, options.torch_index, options.wheels)
    is_test = options.command == "test"
    try:
        python = make_ready(ROOT, choice, with_checks=is_test)
        return run_checks(python, ROOT) if is_test else open_workbench(python)
    except SetUpError as error:
        print(f"isogloss: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nisogloss: Stopped; the next start goes on from here.", file=sys.stderr)
        return EXIT_INTERRUPTED


def read_options(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="start.py",
        description="Set Isogloss up in .venv and open it; with no display, run its "
        "demo in the terminal.",
    )
    parser.add_argument(
        "command",
        nargs="?",
        choices=("open", "test"),
        default="open",
        help="open (default) or test: check the program itself.",
    )
    build = parser.add_argument_group(
        "which build of torch (default: what fits this machine)"
    ).add_mutually_exclusive_group()
    build.add_argument(
        "--cpu", action="store_true", help="The CPU build, even if there is a GPU."
    )
    build.add_argument(
        "--torch-index",
        metavar="URL",
        default="",
        help="The build of this index: the address that PyTorch's page “Get started” "
        "gives for your system and CUDA.",
    )
    build.add_argument(
        "--wheels",
        metavar="DIR",
        type=lambda text: Path(text).resolve(),
        help="Install everything from this folder of wheels, without a network.",
    )
    return parser.parse_args(arguments)


def open_workbench(python: Path) -> int:
    """Open the window, or run the demo in the terminal where there is no display."""
    # `app` is the checkout's, regardless of the current folder.
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    if has_display(os.environ):
        trouble = qt_trouble(python, environment)
        if trouble:
            raise SetUpError(trouble)
        say("Opening the workbench.")
        return subprocess.run([str(python), "-m", "app"], env=environment).returncode
    say(
        "There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set), so the demo "
        "runs here in the terminal."
    )
    environment["QT_QPA_PLATFORM"] = "offscreen"
    trouble = qt_trouble(python, environment)
    if trouble:
        say(f"There will be no pictures. {trouble}")
    # The demo writes text to stderr and JSON to stdout; users want the text.
    command = [str(python), "-m", "app", "demo"]
    return subprocess.run(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=sys.stdout
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
