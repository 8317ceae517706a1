"""What the tests of the import share."""

from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks.import_corpus import ImportResult, import_corpus
from app.params import build_params
from app.params.corpora import ImportCorpus

TMX = '<tmx version="1.4"><header srclang="en"/><body>{body}</body></tmx>'


def params_of(*files: Path, **fields: Any) -> ImportCorpus:
    params: ImportCorpus = build_params(ImportCorpus, {"files": files, **fields})
    return params


def run_import(project: Project, *files: Path, **fields: Any) -> ImportResult:
    return import_corpus(project, params_of(*files, **fields), Report())


def write(tmp_path: Path, text: str, name: str = "a.txt") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def texts_of(project: Project, corpus_id: int) -> list[str]:
    table = schema.sentence
    low, high = first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1)
    query = select(table.c.text).where(table.c.id.between(low, high - 1))
    with project.store.connect() as connection:
        return list(connection.scalars(query.order_by(table.c.id)))


def count_rows(project: Project) -> dict[str, int]:
    tables = (schema.corpus, schema.sentence, schema.link, schema.label)
    with project.store.connect() as connection:
        counts = {
            table.name: connection.scalar(select(func.count()).select_from(table)) or 0
            for table in tables
        }
        # Each text of these tests holds a word that begins so.
        sql = "SELECT count(*) FROM sentence_words WHERE sentence_words MATCH 'w*'"
        counts["words"] = connection.exec_driver_sql(sql).scalar() or 0
    return counts


EMPTY = {"corpus": 0, "sentence": 0, "link": 0, "label": 0, "words": 0}
