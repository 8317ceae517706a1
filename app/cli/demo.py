"""Run the demo in a terminal: search in twelve languages, then save pictures."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from app.cli.terminal import TerminalSink, interruptible
from app.engine.demo import build_demo
from app.engine.process.queries import answer_query
from app.engine.project.project import Project, open_read_only
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store.sentences import read_sentences
from app.languages import language_name
from app.number_format import format_score
from app.paths import demo_project_dir, user_data_dir
from app.plurals import count_text
from app.protocol.queries.search import NearestQuery

QUERIES = (
    "Take an umbrella, you never know!",
    "バスの切符はどこで買えますか。",
    "Nuestro equipo perdió el partido en el último minuto.",
)


def main() -> dict[str, Any]:
    """Run the demo: show searches on stderr, and return them with the pictures."""
    report = Report(TerminalSink())
    with interruptible(report):
        folder = build_demo(demo_project_dir(), report)
        searches = _search(folder)
    pictures = _take_pictures(user_data_dir() / "tour")
    return {"project": str(folder), "searches": searches, "pictures": pictures}


def _search(folder: Path) -> list[dict[str, Any]]:
    """Search each query."""
    with open_read_only(folder) as project:
        session = SearchSession(project)
        return [_show(project, session, text) for text in QUERIES]


def _show(project: Project, session: SearchSession, text: str) -> dict[str, Any]:
    """Show the nearest sentence of each language."""
    found = answer_query(session, NearestQuery(text=text, k=1))
    sentences = read_sentences(project.store, [hit.sentence for hit in found.hits])
    elapsed_ms = 1000 * found.elapsed_s
    _print_line(
        f"\nNearest to “{text}” "
        f"({found.n_searched:,} sentences searched in {elapsed_ms:.0f}\u00a0ms):"
    )
    hits = []
    for hit, row in zip(found.hits, sentences, strict=True):
        if row is None or hit.score is None:
            continue
        name = language_name(hit.language)
        _print_line(f"  {format_score(hit.score, 2)}  {name:20}  {row.text}")
        hits.append({"language": hit.language, "score": hit.score, "text": row.text})
    return {"text": text, "hits": hits}


def _take_pictures(out: Path) -> list[str]:
    """Run the tour of the window in another process, without a screen."""
    _print_line(f"\nSaving pictures of the window to {out} …")
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        # Qt warns a hundred times that a window without a screen can't be moved.
        "QT_LOGGING_RULES": "default.warning=false",
    }
    command = [sys.executable, "-m", "app", "tour", "--out", str(out)]
    tour = subprocess.run(command, env=environment, stdout=subprocess.PIPE)
    if tour.returncode:
        _print_line("The pictures failed; see the error above.")
        return []
    pictures: list[str] = json.loads(tour.stdout)["pictures"]
    _print_line(f"Saved {count_text(len(pictures), 'picture')} to {out}.")
    return pictures


def _print_line(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
