"""Citations: the text as it stands, corpus, document, language, line and project."""

from pathlib import Path

from sqlalchemy import insert

from app.engine.project.project import create_project
from app.engine.store.corpora import first_sentence_id
from app.engine.store.schema import document
from app.engine.store.sentences import SentenceRow, read_sentences
from app.protocol.answers.search import FoundSentence
from app.views.client.project_reader import ProjectReader
from app.views.widgets.hits import cite, read_hits
from tests.engine.search.made import add_corpus

LINES = ["A storm came.", "It went.", "Nobody saw it.", "Quiet."]


def test_a_citation_names_corpus_document_language_line_and_project(
    tmp_path: Path,
) -> None:
    with create_project(tmp_path / "harbour.isogloss") as project:
        add_corpus(project, "letters", "en", LINES)
        add_corpus(project, "bare", "de", ["Ein Sturm."])
        rows = [
            {
                "corpus_id": 1,
                "first": 1,
                "n_sentences": 2,
                "name": "May",
                "fields": "{}",
            },
            {"corpus_id": 1, "first": 3, "n_sentences": 1, "name": "June"},
        ]
        with project.store.begin() as connection:
            for row in rows:
                connection.execute(insert(document).values(**row))
    reader = ProjectReader(project.folder, is_read_only=False)
    ids = [
        first_sentence_id(1),
        first_sentence_id(1) + 2,
        first_sentence_id(1) + 3,
        first_sentence_id(2),
    ]
    sentences = [row for row in read_sentences(reader.store, ids) if row is not None]
    expected = [
        "A storm came. (letters, English, line 1, harbour)",
        "Nobody saw it. (letters, May, English, line 3, harbour)",
        "Quiet. (letters, June, English, line 4, harbour)",
        "Ein Sturm. (bare, German, line 1, harbour)",
    ]
    one_by_one = [cite(reader, [sentence]) for sentence in sentences]
    assert one_by_one == expected
    assert cite(reader, sentences) == "\n".join(expected)
    hits = read_hits(reader.store, [FoundSentence(id_) for id_ in ids])
    sources = ["letters", "letters · May", "letters · June", "bare"]
    assert [hit.source for hit in hits] == sources
    gone = SentenceRow(first_sentence_id(9), "Text.", "en", 7, 5)
    assert cite(reader, [gone]) == "Text. (English, line 7, harbour)"
    reader.close()
