"""Corpora that are not the demo, from file to hits, by the command line alone."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

N_BOOK = 10_000
N_UNITS = 50_000
SUBJECTS = [("The old sailor", "Der alte Seemann"), ("My neighbour", "Mein Nachbar")]
VERBS = [("repairs", "repariert"), ("sells", "verkauft"), ("paints", "streicht")]
OBJECTS = [("the boat", "das Boot"), ("a clock", "eine Uhr"), ("the door", "die Tür")]


def isogloss(cwd: Path, *arguments: str) -> dict[str, Any]:
    """Run a command and read the one object that it prints."""
    environment = os.environ | {
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "ISOGLOSS_DATA": str(cwd / "data"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "app", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def sentences(number: int) -> tuple[str, str]:
    """Make an English sentence and its German translation; no two are equal."""
    rng = random.Random(number)
    parts = [rng.choice(pool) for pool in (SUBJECTS, VERBS, OBJECTS)]
    english, german = (" ".join(part[side] for part in parts) for side in (0, 1))
    return f"{english} in room {number}.", f"{german} in Zimmer {number}."


def test_a_book_is_split_encoded_and_searched(tmp_path: Path) -> None:
    book = tmp_path / "a book.txt"
    paragraphs = [
        " ".join(sentences(i)[0] for i in range(start, start + 10))
        for start in range(0, N_BOOK, 10)
    ]
    book.write_text("\n\n".join(paragraphs), encoding="utf-8", newline="\n")
    isogloss(tmp_path, "new", "p")
    isogloss(
        tmp_path,
        *("import-corpus", "p", "--file", "a book.txt", "--language", "eng"),
        *("--name", "book", "--split"),
    )
    encoded = isogloss(tmp_path, "encode", "p", "--corpus", "book")
    assert encoded["sentences"] == N_BOOK
    english, german = sentences(4711)
    found = isogloss(tmp_path, "search", "p", "--text", german, "--k", "5")
    assert [hit["rank"] for hit in found["hits"]] == [1, 2, 3, 4, 5]
    assert all(hit["corpus"] == "book" for hit in found["hits"])
    scores = [hit["score"] for hit in found["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert found["hits"][0]["text"] == english
    words = isogloss(tmp_path, "search", "p", "--text", "room 4711", "--words")
    assert [hit["text"] for hit in words["hits"]] == [english]


def test_a_large_translation_memory_keeps_its_alignment(tmp_path: Path) -> None:
    memory = tmp_path / "memory.tmx"
    with memory.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write('<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n')
        stream.write('<header srclang="en" segtype="sentence"/><body>\n')
        for number in range(N_UNITS):
            english, german = sentences(number)
            stream.write(
                f'<tu><tuv xml:lang="en"><seg>{english}</seg></tuv>'
                f'<tuv xml:lang="de"><seg>{german}</seg></tuv></tu>\n'
            )
        stream.write("</body></tmx>\n")
    isogloss(tmp_path, "new", "p")
    isogloss(
        tmp_path,
        *("import-corpus", "p", "--file", "memory.tmx"),
        *("--language", "en", "--language", "de"),
        *("--name", "memory-en", "--name", "memory-de"),
    )
    encoded = isogloss(tmp_path, "encode", "p", "--corpus", "memory-de")
    assert encoded["sentences"] == N_UNITS
    english, german = sentences(43_210)
    found = isogloss(tmp_path, "search", "p", "--text", german, "--language", "deu")
    assert found["hits"][0]["text"] == german
    assert found["hits"][0]["language"] == "de"
    from app.engine.project.project import open_read_only
    from app.engine.store.sentences import read_translations

    with open_read_only(tmp_path / "p") as project:
        linked = read_translations(project.store, found["hits"][0]["sentence"])
    assert [sentence.text for sentence in linked] == [english]
