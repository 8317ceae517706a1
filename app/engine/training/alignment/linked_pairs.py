"""Write the English translations of a corpus as a file of pairs."""

from pathlib import Path

from app.engine.project.active_sentences import active_links
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import CorpusRow, list_corpora
from app.engine.store.lookup import find_corpus
from app.engine.store.pairs.sets import count_links, read_links
from app.engine.store.sentences import read_texts
from app.errors import UserError
from app.languages import primary_language

STAGE = "Reading linked sentences"


def write_english_pairs(
    project: Project, name: str, folder: Path, report: Report
) -> tuple[Path, str]:
    """Write the pairs of a corpus with all English corpora linked to it.

    Args:
        folder: folder for the file.

    Returns:
        The file, English in the first column, and the language of the corpus.

    Raises:
        UserError: the corpus does not exist, or has no English translations.
    """
    corpus = find_corpus(project.store, name)
    linked = count_links(project.store, corpus.id)
    english = [
        row
        for row in list_corpora(project.store)
        if row.id in linked and primary_language(row.language) == "en"
    ]
    lines = [
        f"{source}\t{target}\n"
        for row in english
        for source, target in _read_pairs(project, row, corpus)
    ]
    if not lines:
        raise UserError(
            f"No sentence of {corpus.name} is linked to an English one. Import or "
            "align an English translation first."
        )
    report.step(STAGE, len(lines), len(lines))
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"en-{corpus.language}.{corpus.id}.tsv"
    file.write_text("".join(lines), encoding="utf-8", newline="\n")
    return file, corpus.language


def _read_pairs(
    project: Project, english: CorpusRow, corpus: CorpusRow
) -> list[tuple[str, str]]:
    """Return the participating linked sentences, English first."""
    sides = active_links(
        project, (english, corpus), read_links(project.store, english.id, corpus.id)
    )
    texts = [
        read_texts(project.store, one.id, 0, one.n_sentences)
        for one in (english, corpus)
    ]
    return [
        (_one_cell(texts[0][source]), _one_cell(texts[1][target]))
        for source, target in zip(*(side.tolist() for side in sides), strict=True)
    ]


def _one_cell(text: str) -> str:
    """Replace tabs and line breaks, so that a sentence stays in one TSV cell."""
    return text.replace("\t", " ").replace("\n", " ")
