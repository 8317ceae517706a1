"""The tables of words, documents, sub-corpora, findings, kept hits and dictionaries.

They are part of the schema: `store/schema.py` names them all.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Integer,
    Table,
    Text,
)

from app.engine.store.metadata import metadata

# A stretch of a corpus that belongs together. Stretches of one name and the same fields
# are one document; a corpus without rows here is one document of its own.
document = Table(
    "document",
    metadata,
    Column("corpus_id", Integer, ForeignKey("corpus.id"), primary_key=True),
    Column("first", Integer, primary_key=True),  # position of its first sentence
    Column("n_sentences", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("fields", Text, nullable=False, default="{}"),  # JSON: {name: text}
)

analysis = Table(
    "analysis",  # the words of a sentence as its source gives them
    metadata,
    Column(
        "sentence_id",
        BigInteger().with_variant(Integer, "sqlite"),
        primary_key=True,
    ),
    # JSON: [[start, end (code points of the text), form, lemma, part of speech], …]
    Column("words", Text, nullable=False),
)

word_index = Table(
    "word_index",  # where each word of a corpus stands: app/engine/words/index.py
    metadata,
    Column("corpus_id", Integer, ForeignKey("corpus.id"), primary_key=True),
    Column("segmenter", Text, nullable=False),  # what cut it; another: made anew
    Column("n_tokens", Integer, nullable=False),
    Column("n_types", Integer, nullable=False),
    Column("has_lemmas", Integer, nullable=False, default=0),
    Column("array", Text, nullable=False),  # stem of the files in arrays/
    Column("run_id", Integer, ForeignKey("run.id")),
    Column("created_at", Float, nullable=False),
)

subcorpus = Table(
    "subcorpus",  # sentences chosen by a chain of queries
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False),  # ready, deleted
    Column("corpora", Text, nullable=False),  # JSON: ids it begins with; none: all
    Column("steps", Text, nullable=False),  # JSON: lines of the chain, app/chains.py
    Column("array", Text, nullable=False),  # stem: int64 (n,), ids that rise
    Column("n_sentences", Integer, nullable=False),
    Column("counts", Text, nullable=False),  # JSON: {corpus id: sentences of it}
    Column("run_id", Integer, ForeignKey("run.id")),
    Column("created_at", Float, nullable=False),
)

hidden = Table(
    "hidden",  # sentences that take no part in anything
    metadata,
    Column(
        "sentence_id",
        BigInteger().with_variant(Integer, "sqlite"),
        primary_key=True,
    ),
    Column("state", Text, nullable=False),  # hidden, removed
    Column("reason", Text, nullable=False, default=""),
    Column("step", Integer, nullable=False, index=True),  # those hidden at once
)

finding = Table(
    "finding",  # a sentence, or two, that a search for something found
    metadata,
    Column("run_id", Integer, ForeignKey("run.id"), primary_key=True),
    Column("place", Integer, primary_key=True),  # in the order of the run
    Column("kind", Text, nullable=False),
    Column("sentence_id", Integer, nullable=False),
    Column("other_id", Integer),  # the sentence that it is compared with
    Column("cosine", Float),
    Column("similarity", Float),  # of the letters, 0…1
    Column("detail", Text, nullable=False, default=""),  # a sentence for the user
)

hit_list = Table(
    "hit_list",  # hits of a concordance that were kept
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False),  # ready, deleted
    Column("query", Text, nullable=False),  # JSON of the params Concordance
    Column("n_hits", Integer, nullable=False),
    Column("run_id", Integer, ForeignKey("run.id")),
    Column("created_at", Float, nullable=False),
)

hit = Table(
    "hit",
    metadata,
    Column("list_id", Integer, ForeignKey("hit_list.id"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("sentence_id", Integer, nullable=False),
    Column("start", Integer, nullable=False),  # code points of the text
    Column("end", Integer, nullable=False),
    Column("hash", Integer, nullable=False),  # of the text, to find it again
    Column("line", Integer, nullable=False),
)

dictionary = Table(
    "dictionary",  # a bilingual word list, to check equivalents with
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False),  # ready, deleted
    Column("source_language", Text, nullable=False),
    Column("target_language", Text, nullable=False),
    Column("n_entries", Integer, nullable=False),
    Column("source", Text, nullable=False, default=""),  # file it came from
    Column("run_id", Integer, ForeignKey("run.id")),
    Column("created_at", Float, nullable=False),
)

entry = Table(
    "entry",
    metadata,
    Column("dictionary_id", Integer, ForeignKey("dictionary.id"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("source", Text, nullable=False),  # as compared: NFKC, case-folded
    Column("target", Text, nullable=False),
)
