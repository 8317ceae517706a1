"""The tables of a project.

A sentence's id is `corpus_id * 2**32 + position`, so a corpus is one contiguous range
of the primary key: paging, counting and filtering by corpus need no index, and row r of
a corpus's array is the sentence with position r. A pair's id is `mining_id * 2**32 +
place` in the same way: the pairs that were taken come first, the best score first, then
the other candidates.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
)

from app.engine.store.metadata import metadata as metadata
from app.engine.store.pair_tables import judgement as judgement
from app.engine.store.pair_tables import mining as mining
from app.engine.store.pair_tables import opinion as opinion
from app.engine.store.pair_tables import package as package
from app.engine.store.pair_tables import pair as pair
from app.engine.store.word_tables import analysis as analysis
from app.engine.store.word_tables import dictionary as dictionary
from app.engine.store.word_tables import document as document
from app.engine.store.word_tables import entry as entry
from app.engine.store.word_tables import finding as finding
from app.engine.store.word_tables import hidden as hidden
from app.engine.store.word_tables import hit as hit
from app.engine.store.word_tables import hit_list as hit_list
from app.engine.store.word_tables import subcorpus as subcorpus
from app.engine.store.word_tables import word_index as word_index

SCHEMA_VERSION = 4  # a project with a higher number was made by a newer Isogloss
CORPUS_STRIDE = 2**32  # ids that one corpus, or one mining, may use

corpus = Table(
    "corpus",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("language", Text, nullable=False),  # one form: zh-Hans, en, swh
    Column("language_given", Text, nullable=False),  # as the user wrote it
    Column("state", Text, nullable=False),  # importing, ready, deleted
    Column("n_sentences", Integer, nullable=False, default=0),
    Column("source", Text, nullable=False, default=""),  # file it came from
    Column("report", Text, nullable=False, default="{}"),  # import report, JSON
    Column("run_id", Integer, ForeignKey("run.id")),
    Column("created_at", Float, nullable=False),  # seconds since 1970, UTC
)

sentence = Table(
    "sentence",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("text", Text, nullable=False),  # NFC, no control characters
    Column("language", Text, nullable=False),
    Column("line", Integer, nullable=False),  # of the original file, from 1
    Column("length", Integer, nullable=False),  # code points
    Column("hash", Integer, nullable=False),  # signed 64 bits of BLAKE2b of the text
)

link = Table(
    "link",  # sentences that are translations of each other: imported, gold, aligned
    metadata,
    Column("source_id", Integer, primary_key=True),
    Column("target_id", Integer, primary_key=True, index=True),  # read from both ends
    Column("kind", Text, nullable=False),  # imported
    Column("run_id", Integer, ForeignKey("run.id")),
    sqlite_with_rowid=False,
)

label = Table(
    "label",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("sentence_id", Integer, nullable=False, index=True),
    Column("class", Text, nullable=False, key="class_name"),
    Column("who", Text, nullable=False),
    Column("created_at", Float, nullable=False),
)

note = Table(
    "note",
    metadata,
    Column("sentence_id", Integer, primary_key=True),
    Column("text", Text, nullable=False),
    Column("who", Text, nullable=False),
    Column("changed_at", Float, nullable=False),
)

embedding = Table(
    "embedding",  # the vectors of one corpus by one encoder
    metadata,
    Column("id", Integer, primary_key=True),
    Column("corpus_id", Integer, ForeignKey("corpus.id"), nullable=False),
    Column("encoder", Text, nullable=False),  # its name when it was used
    Column("fingerprint", Text, nullable=False),  # SHA-256 of weights and vocabulary
    Column("dim", Integer, nullable=False),
    Column("n_rows", Integer, nullable=False),
    Column("n_done", Integer, nullable=False),  # rows on disk; == n_rows when ready
    Column("n_zero", Integer, nullable=False, default=0),  # rows without a known piece
    Column("array", Text, nullable=False),  # stem of the files in arrays/
    Column("run_id", Integer, ForeignKey("run.id")),
    Column("created_at", Float, nullable=False),
    UniqueConstraint("corpus_id", "fingerprint"),
)

run = Table(
    "run",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("task", Text, nullable=False),
    Column("params", Text, nullable=False),  # JSON of the params struct
    Column("state", Text, nullable=False),  # running, interrupted, finished, ...
    Column("device", Text, nullable=False, default=""),
    Column("versions", Text, nullable=False, default="{}"),
    Column("result", Text, nullable=False, default=""),  # JSON
    Column("error", Text, nullable=False, default=""),
    Column("started_at", Float, nullable=False),
    Column("ended_at", Float),
)

metric = Table(
    "metric",  # the curves of a run
    metadata,
    Column("run_id", Integer, ForeignKey("run.id"), primary_key=True),
    Column("step", Integer, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", Float),
    sqlite_with_rowid=False,
)

search = Table(
    "search",  # the history of queries
    metadata,
    Column("id", Integer, primary_key=True),
    Column("text", Text, nullable=False),
    Column("filters", Text, nullable=False),  # JSON: corpora, languages, words, k
    Column("created_at", Float, nullable=False),
)

classifier = Table(
    "classifier",  # its folder in classifiers/ has the name of the row
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False),  # ready, deleted
    Column("folder", Text, nullable=False),  # in classifiers/, the same for ever
    Column("head", Text, nullable=False),
    Column("classes", Text, nullable=False),  # JSON, in the order of the outputs
    Column("encoder", Text, nullable=False),  # its name when it was used
    Column("fingerprint", Text, nullable=False),
    Column("language", Text, nullable=False),  # of the training rows
    Column("n_train", Integer, nullable=False),
    Column("development", Float),  # accuracy on the development set, 0…1
    Column("report", Text, nullable=False, default="{}"),  # JSON: data, warnings
    Column("run_id", Integer, ForeignKey("run.id")),
    Column("created_at", Float, nullable=False),
)

prediction = Table(
    "prediction",  # what a classifier said of the sentences of a corpus
    metadata,
    Column("id", Integer, primary_key=True),
    Column("classifier_id", Integer, ForeignKey("classifier.id"), nullable=False),
    Column("corpus_id", Integer, ForeignKey("corpus.id"), nullable=False),
    Column("other_id", Integer, nullable=False, default=0),  # corpus of second texts
    Column("n_rows", Integer, nullable=False),
    Column("n_done", Integer, nullable=False),  # rows on disk; == n_rows when ready
    Column("array", Text, nullable=False),  # stem of the files in arrays/
    Column("run_id", Integer, ForeignKey("run.id")),
    Column("created_at", Float, nullable=False),
    UniqueConstraint("classifier_id", "corpus_id", "other_id"),
)

transfer = Table(
    "transfer",  # one language of a test: all that is told of it
    metadata,
    Column("run_id", Integer, ForeignKey("run.id"), primary_key=True),
    Column("language", Text, primary_key=True),
    Column("details", Text, nullable=False),  # JSON of app.transfer.LanguageDetails
    Column("said", LargeBinary, nullable=False),  # int32, the class said of each row
    Column("gold", LargeBinary, nullable=False),  # int32, the true one
    Column("rows", LargeBinary, nullable=False),  # int64, hashes of the rows
)

measurement = Table(
    "measurement",  # what an evaluation measured, a row at a time
    metadata,
    Column("run_id", Integer, ForeignKey("run.id"), primary_key=True),
    Column("place", Integer, primary_key=True),  # in the order of the run
    Column("row", Text, nullable=False),  # JSON of app.measurements.Measurement
)

run_file = Table(
    "run_file",  # the files that a run read
    metadata,
    Column("run_id", Integer, ForeignKey("run.id"), primary_key=True),
    Column("file", Text, primary_key=True),  # as it was named
    Column("sha256", Text, nullable=False),  # in hex
)

projection = Table(
    "projection",  # a map: two coordinates of each sentence, and its cluster
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False),  # writing, ready, deleted
    Column("method", Text, nullable=False),  # pca, umap, tsne
    Column("encoder", Text, nullable=False),  # its name when it was used
    Column("fingerprint", Text, nullable=False),
    Column("corpora", Text, nullable=False),  # JSON: ids
    Column("n_points", Integer, nullable=False, default=0),
    Column("array", Text, nullable=False),  # stem of the files in arrays/
    Column("report", Text, nullable=False, default="{}"),  # JSON: clusters, settings
    Column("run_id", Integer, ForeignKey("run.id")),
    Column("created_at", Float, nullable=False),
)

edit = Table(
    "edit",  # journal of every small change with its inverse: what undo reads
    metadata,
    Column("id", Integer, primary_key=True),
    Column("change", Text, nullable=False),  # JSON of messages.Change
    Column("inverse", Text, nullable=False),  # JSON of messages.Change
    Column("undone", Integer, nullable=False, default=0),
    Column("who", Text, nullable=False),
    Column("created_at", Float, nullable=False),
)

view_state = Table(
    "view_state",  # one row a session of the window
    metadata,
    Column("id", Integer, primary_key=True),
    Column("state", Text, nullable=False),  # JSON, owned by the window
    Column("opened_at", Float, nullable=False),
    Column("saved_at", Float, nullable=False),
)

# The text as the words of a keyword query are matched against: see rows.keyword_text.
# Contentless: the sentences are not stored a second time.
FTS_SQL = """
CREATE VIRTUAL TABLE sentence_words USING fts5(
    text, content='', columnsize=0, detail=full,
    tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'"
)
"""
