"""Paragraphs on the method of a run."""

from pathlib import Path

from app.engine.reporting.methods import describe_method
from app.params.vectors import EvaluateTatoeba


def test_the_method_of_tatoeba_is_described() -> None:
    text = describe_method(EvaluateTatoeba(directory=Path("sets")), [])
    assert text.startswith("In the Tatoeba test sets, a sentence counts as an error")
    assert "(Artetxe and Schwenk 2019)" in text
