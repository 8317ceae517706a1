"""Write resources/demo.zip: the demo project with content for every view.

Run by hand, after a change of the samples, the bundled encoder or the format:
`python -m installers.demo_archive`. It takes about two minutes.
"""

import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

# File names in the project must be the same on every machine.
ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "resources" / "demo.zip"
MOST_BYTES = 20 << 20


def main() -> None:
    """Build the project in a temporary folder, and pack it."""
    with tempfile.TemporaryDirectory(prefix="isogloss-demo-") as made:
        os.environ["ISOGLOSS_DATA"] = f"{made}/data"  # not the user's settings
        from app.engine.demo import build_from_samples
        from app.engine.demo_content import finish_demo
        from app.engine.project.project import open_project
        from app.engine.runtime.report import Report
        from app.engine.tasks.save_copy import save_copy
        from app.params.projects import SaveCopy

        folder = build_from_samples(Path(made) / "demo.isogloss", Report())
        with open_project(folder) as project:
            finish_demo(project, Report())
        _remove_paths(folder, made)
        with open_project(folder) as project:
            TARGET.unlink(missing_ok=True)
            result = save_copy(project, SaveCopy(out=TARGET), Report())
    if result.size > MOST_BYTES:
        raise SystemExit(f"{TARGET.name} has {result.size:,} bytes: make it smaller.")
    print(result.message)


def _remove_paths(folder: Path, made: str) -> None:
    """Shorten the paths of this machine in the records of the runs."""
    columns = {
        "run": ("params", "result"),
        "run_file": ("file",),
        "corpus": ("source", "report"),
    }
    with closing(sqlite3.connect(folder / "project.sqlite")) as database, database:
        for table, names in columns.items():
            for name in names:
                for prefix in (f"{ROOT}/", f"{made}/"):
                    database.execute(
                        f"UPDATE {table} SET {name} = replace({name}, ?, '')", [prefix]
                    )


if __name__ == "__main__":
    main()
