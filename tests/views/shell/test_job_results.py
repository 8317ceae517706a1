"""What a job did is said in the words of the user."""

import msgspec
import pytest

from app.params import ALL_PARAMS, command_name
from app.results.jobs import ImportedCorpus
from app.views.shell.job_results import (
    describe_imports,
    describe_result,
    name_job,
    title_job,
)


def corpus(name: str, n: int, **report: int) -> dict[str, object]:
    return {"name": name, "n_sentences": n, "report": report}


def corpus_row(name: str, n: int, **report: int) -> ImportedCorpus:
    return msgspec.convert(corpus(name, n, **report), ImportedCorpus)


def test_an_import_says_what_was_kept_and_what_was_left_out() -> None:
    result = {"corpora": [corpus("Hafenbriefe", 7, n_empty=1, n_refused=0)]}
    words = "Hafenbriefe: 7 sentences imported, 1 empty line skipped."
    assert describe_result("import-corpus", result) == words


def test_both_sides_of_a_pair_are_named_and_their_lines_counted_once() -> None:
    sides = [corpus("a.en", 1200, n_refused=2), corpus("a.fr", 1200, n_refused=2)]
    words = "a.en, a.fr: 2,400 sentences imported, 2 lines rejected."
    assert describe_result("import-corpus", {"corpora": sides}) == words


def test_several_imports_are_described_with_their_total() -> None:
    imports = [
        [corpus_row(f"Letters {n}", 1_200, n_empty=1, n_documents=1)] for n in range(5)
    ]
    assert describe_imports(imports) == (
        "Letters 0, Letters 1, Letters 2 and 2 more: 6,000 sentences imported, 5 empty "
        "lines skipped."
    )


def test_other_jobs_say_their_message_or_that_they_are_done() -> None:
    said = {"message": "7 sentences have a vector by isogloss-2 now."}
    assert describe_result("encode", said) == said["message"]
    words = "The training of an encoder is done."
    assert describe_result("train-encoder", {}) == words
    assert name_job("brew-tea") == "The job brew-tea"


def test_a_fine_tuning_says_the_errors_before_and_after_and_the_warning() -> None:
    own = {"language": "wol", "is_other": False, "before": 0.11, "after": 0.07}
    other = {"language": "de", "is_other": True, "before": 0.0, "after": 0.5}
    result = {"name": "mine", "changes": [own, other], "warning": "German got worse."}
    assert describe_result("fine-tune-encoder", result) == (
        "mine is trained: retrieval error 11.0\u00a0% before, 7.0\u00a0% after on "
        "the development pairs. German got worse."
    )


@pytest.mark.parametrize("task", [command_name(params) for params in ALL_PARAMS])
def test_every_job_has_a_name_without_its_command(task: str) -> None:
    assert not name_job(task).startswith("The job ")
    assert title_job(task)[0].isupper()
    assert "The" not in title_job(task)
