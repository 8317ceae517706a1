"""Task: list the nearest words in the other language by NN, ISF and CSLS."""

from typing import TYPE_CHECKING

from app.engine.runtime.report import Report
from app.engine.wordvectors.project_files import find_map_folder
from app.engine.wordvectors.spaces import load_space
from app.engine.wordvectors.translations import list_translations
from app.params.word_vectors import TranslateWord
from app.protocol.answers.words import TranslationRow
from app.results.task import TaskResult

if TYPE_CHECKING:
    from app.engine.project.project import Project


class TranslateWordResult(TaskResult, frozen=True):
    """Translations of a word, best CSLS first."""

    rows: list[TranslationRow]


def translate_word(
    project: "Project | None", params: TranslateWord, report: Report
) -> TranslateWordResult:
    """List the nearest words in the other language.

    Raises:
        UserError: the folder contains no map, or the word has no vector.
    """
    report.step("Translating", 0, 1)
    space = load_space(find_map_folder(project, params.map))
    rows = list_translations(space, params.text, params.top, {})
    report.step("Translating", 1, 1)
    names = ", ".join(row.item for row in rows[:3])
    return TranslateWordResult(rows, message=f"{params.text}: {names}.")
