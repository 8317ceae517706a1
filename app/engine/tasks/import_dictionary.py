"""Task: import a bilingual dictionary."""

from app.engine.project.project import Project
from app.engine.runtime.blocking_calls import ChildCall
from app.engine.runtime.reader_process import call_reader
from app.engine.runtime.report import Report
from app.engine.store.corpora import list_corpora
from app.engine.store.words.dictionaries import add_dictionary
from app.engine.text.normalisation import clean_text
from app.engine.text.readers.dictionary import DictionaryText, name_problems
from app.engine.words.tokenizer import entry_key
from app.errors import UserError
from app.languages import find_language, parse_language
from app.params.words import ImportDictionary
from app.paths import strip_compression
from app.results.task import TaskResult

STAGE = "Reading the dictionary"
MAX_LISTED = 20  # rejected lines that are listed


class ImportDictionaryResult(TaskResult, frozen=True):
    """The imported dictionary.

    Attributes:
        n_entries: distinct pairs of a word and its translation.
        n_refused: lines that were left out.
        problems: the first rejected lines, with line numbers and reasons.
    """

    id: int
    name: str
    source_language: str
    target_language: str
    n_entries: int
    n_refused: int
    problems: tuple[str, ...]


def import_dictionary(
    project: Project, params: ImportDictionary, report: Report
) -> ImportDictionaryResult:
    """Import a dictionary; invalid lines are left out and reported.

    Raises:
        UserError: the file is not a dictionary, or both its languages are the same.
        ResourceError: the file is missing or can't be read.
    """
    report.step(STAGE, 0, 2)
    spoken = {row.language for row in list_corpora(project.store)}
    languages = [
        _language_code(text, spoken)
        for text in (params.source_language, params.target_language)
    ]
    if languages[0] == languages[1]:
        raise UserError(
            "A dictionary needs two languages. Set the codes of both, such as "
            "en and de."
        )
    read = call_reader(
        ChildCall(
            "app.engine.text.readers.dictionary:read_dictionary_file",
            {"path": str(params.file), "languages": languages},
        ),
        DictionaryText,
        name=str(params.file),
        wait=lambda: report.step(STAGE, 0, 2),
    )
    report.step(STAGE, 1, 2)
    keys = [(entry_key(one.source), entry_key(one.target)) for one in read.entries]
    entries = list(dict.fromkeys(keys))
    problems = tuple(name_problems(read.problems, MAX_LISTED))
    if not entries:
        raise UserError(
            f"{params.file} has no word with a translation{_first(problems)}. "
            "Write a word and its translation on each line, separated by a tab."
        )
    name = clean_text(params.name)[0] or strip_compression(params.file).stem
    values = {
        "name": name,
        "source_language": languages[0],
        "target_language": languages[1],
        "source": str(params.file),
        "run_id": report.run,
    }
    id_ = add_dictionary(project.store, values, entries)
    report.changed("dictionary", id_)
    report.step(STAGE, 2, 2)
    n_refused = len(read.problems)
    return ImportDictionaryResult(
        id_,
        name,
        languages[0],
        languages[1],
        len(entries),
        n_refused,
        problems,
        message=_message(name, len(entries), n_refused, problems),
    )


def _language_code(text: str, spoken: set[str]) -> str:
    """Return the code of a language specified by code, name or a corpus's language."""
    language = parse_language(text)
    code = language.code if language.known else find_language(text)
    if not code and language.code not in spoken:
        raise UserError(f"'{text}' is not a known language. Set its code, such as en.")
    return code or language.code


def _message(name: str, n: int, n_refused: int, problems: tuple[str, ...]) -> str:
    words = "1 entry" if n == 1 else f"{n:,} entries"
    if not n_refused:
        return f"{name}: {words} imported."
    lines = "1 line" if n_refused == 1 else f"{n_refused:,} lines"
    return f"{name}: {words} imported; {lines} left out{_first(problems)}."


def _first(problems: tuple[str, ...]) -> str:
    return f" ({problems[0]}{'; …' if len(problems) > 1 else ''})" if problems else ""
