"""Speed and memory of encoding: from the store to vectors on disk.

    python tests/benchmarks/encoder_speed.py [--sentences 1000000] [--encoder NAME]

Prints what was measured beside its bound. The peer is sentencepiece's own batch
encoding of the same sentences in the same run.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import psutil
from sqlalchemy import insert

from app.engine.encoders.registry import find_encoder, load_encoder
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.store.corpora import first_sentence_id
from app.engine.store.schema import corpus, sentence
from app.engine.tasks.encode import encode
from app.engine.text.subword_vocabulary import load_vocabulary
from app.params.vectors import Encode
from app.paths import resource_dir

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


LENGTH = 30  # characters of a sentence
PAGE = 20_000
BOUND_RATE, BOUND_SHARE, BOUND_BYTES = 80_000, 0.25, 1_000_000_000


def make_sentences(n: int) -> list[str]:
    """Cut the samples' words into n sentences of about 30 characters, all different."""
    generator = random.Random(1)
    texts = [
        file.read_text(encoding="utf-8").splitlines()
        for file in sorted((resource_dir() / "samples").glob("??.tsv"))
    ]
    words = [[word for line in lines for word in line.split()] for lines in texts]
    sentences: set[str] = set()
    while len(sentences) < n:
        made = ""
        of_language = generator.choice(words)
        while len(made) < LENGTH:
            made += generator.choice(of_language) + " "
        sentences.add(made[:LENGTH])
    return sorted(sentences, key=hash)


def fill_corpus(project: Project, sentences: list[str]) -> None:
    """Put the sentences in the store without an import."""
    row = {
        "id": 1,
        "name": "speed",
        "language": "und",
        "language_given": "und",
        "state": "ready",
        "n_sentences": len(sentences),
        "created_at": 0.0,
    }
    with project.store.begin() as connection:
        connection.execute(insert(corpus), [row])
        for first in range(0, len(sentences), PAGE):
            rows = [
                {
                    "id": first_sentence_id(1) + first + i,
                    "text": text,
                    "language": "und",
                    "line": first + i + 1,
                    "length": len(text),
                    "hash": first + i,
                }
                for i, text in enumerate(sentences[first : first + PAGE])
            ]
            connection.execute(insert(sentence), rows)


def measure_peer(encoder: str, sentences: list[str]) -> float:
    """Return sentencepiece's sentences a second, with all processors."""
    vocabulary = load_vocabulary(find_encoder(encoder))
    begun = time.perf_counter()
    for first in range(0, len(sentences), PAGE):
        vocabulary.processor.encode(
            sentences[first : first + PAGE], num_threads=os.cpu_count() or 1
        )
    return len(sentences) / (time.perf_counter() - begun)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=1_000_000)
    parser.add_argument("--encoder", default="")
    options = parser.parse_args()
    sentences = make_sentences(options.sentences)
    with (
        tempfile.TemporaryDirectory() as name,
        create_project(Path(name) / "speed.isogloss") as project,
    ):
        fill_corpus(project, sentences)
        peer = measure_peer(options.encoder, sentences)
        load_encoder(options.encoder).encode(sentences[:PAGE])  # warm
        before = psutil.Process().memory_info().rss
        begun = time.perf_counter()
        params = Encode(corpora=("speed",), encoder=options.encoder)
        encode(project, params, Report())
        rate = len(sentences) / (time.perf_counter() - begun)
    print(f"sentences of {LENGTH} characters: {len(sentences):,}")
    print(f"store to vectors on disk: {rate:,.0f} a second (bound {BOUND_RATE:,})")
    print(f"sentencepiece alone:      {peer:,.0f} a second")
    print(f"ratio:                    {rate / peer:.2f} (bound {BOUND_SHARE})")
    peak, bound = peak_bytes() / 1e6, BOUND_BYTES / 1e6
    print(f"peak memory:              {peak:,.0f} MB (bound {bound:,.0f} MB),")
    print(f"                          {before / 1e6:,.0f} MB of it before encoding")


def peak_bytes() -> int:
    """Return the largest memory this process has held."""
    if sys.platform == "win32":
        return int(psutil.Process().memory_info().peak_wset)
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    main()
