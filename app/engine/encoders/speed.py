"""Measure the speed of an encoder on this machine."""

import random
import time

from app.engine.encoders.encoder import Encoder
from app.engine.runtime.report import Report
from app.paths import resource_dir

LENGTH = 30  # characters
FIRST, MAX_SENTENCES = 32, 20_480
WANTED_S = 1.0  # the first round of at least this time is the last


def measure_speed(encoder: Encoder, report: Report) -> float:
    """Measure sentences per second in rounds, each four times as large as the last."""
    encoder.encode(make_sentences(FIRST))  # warm-up
    n, rate = FIRST, 0.0
    while not rate or (n / rate < 4 * WANTED_S and n <= MAX_SENTENCES):
        report.step("Measuring the speed", 0, 0, f"{n:,} sentences")
        sentences = make_sentences(n)
        begun = time.perf_counter()
        encoder.encode(sentences)
        rate = n / max(time.perf_counter() - begun, 1e-6)
        n *= 4
    return rate


def make_sentences(n: int, *, seed: int = 1) -> list[str]:
    """Make n sentences of about 30 characters from words of the bundled samples."""
    generator = random.Random(seed)
    files = sorted((resource_dir() / "samples").glob("??.tsv"))
    words = [file.read_text(encoding="utf-8").split() for file in files]
    sentences = []
    for _ in range(n):
        made = ""
        of_language = generator.choice(words)
        while len(made) < LENGTH:
            made += generator.choice(of_language) + " "
        sentences.append(made[:LENGTH])
    return sentences
