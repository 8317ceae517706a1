"""Task: import word vectors into a project."""

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.words.indexes import TABLES
from app.engine.wordvectors.project_files import check_new_name, new_folder
from app.engine.wordvectors.reader import read_vector_file
from app.engine.wordvectors.table import save_table
from app.errors import UserError
from app.languages import parse_language
from app.params.word_vectors import ImportWordVectors
from app.results.task import TaskResult


class ImportWordVectorsResult(TaskResult, frozen=True):
    """The imported word vectors.

    Attributes:
        notes: sentences about omitted lines and words.
    """

    name: str
    language: str
    n_words: int
    dim: int
    notes: tuple[str, ...]


def import_word_vectors(
    project: Project, params: ImportWordVectors, report: Report
) -> ImportWordVectorsResult:
    """Read word vectors from a file and save them in the project.

    Raises:
        UserError: the file contains no word vectors, or the name is in use.
        ResourceError: the file is missing or can't be read.
    """
    check_new_name(project, TABLES, params.name)
    language = parse_language(params.language).code
    if not language:
        raise UserError("The language is missing. Use a code such as en or de.")
    table, notes = read_vector_file(
        params.file, report, language=language, max_words=params.max_words
    )
    with new_folder(project, TABLES, params.name) as folder:
        save_table(folder, table)
    report.changed("word-vectors", 0)
    message = (
        f"{params.name}: {len(table.words):,} words with {table.dim:,} dimensions "
        "imported."
    )
    return ImportWordVectorsResult(
        name=params.name,
        language=language,
        n_words=len(table.words),
        dim=table.dim,
        notes=notes,
        message=" ".join([message, *notes]),
    )
