"""Entry point: open the window, run the engine process, or run a command."""

import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

EXIT_NO_DISPLAY, EXIT_TERMINATED = 3, 143
GARBAGE_THRESHOLD = 10_000  # new objects: imports make many that live on


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the requested mode or command, and return the exit code."""
    multiprocessing.freeze_support()  # a frozen program also starts its child processes
    gc.set_threshold(GARBAGE_THRESHOLD)
    # OpenMP's waiting threads spin by default, which makes a training step five times
    # slower if another process is busy; torch reads this at import.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words != ["engine"]:
        signal.signal(signal.SIGTERM, _on_early_termination)
    if words == ["engine"]:
        from app.engine.process.server import main as run_engine

        return run_engine()
    project = project_argument(words)
    if words and project is None:
        from app.cli.main import main as run_command

        return run_command(words)
    if not has_display():
        sys.stderr.write(
            "isogloss: there is no display to open the window on; "
            "use a command instead (isogloss --help lists them).\n"
        )
        return EXIT_NO_DISPLAY
    from app.views.shell.application import main as run_window

    return run_window(project)


def project_argument(words: Sequence[str]) -> Path | None:
    """Return the project to open in the window, if that is the only argument."""
    if len(words) != 1 or words[0].startswith("-"):
        return None
    path = Path(words[0])
    is_project = path.suffix == ".isogloss" or (path / "project.sqlite").is_file()
    return path.absolute() if is_project else None


def _on_early_termination(_number: int, _frame: FrameType | None) -> None:
    """Exit before a command has started; commands set their own handler."""
    os._exit(EXIT_TERMINATED)


def has_display() -> bool:
    """Return whether Qt will find a display."""
    if sys.platform in ("win32", "darwin") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


if __name__ == "__main__":
    sys.exit(main())
