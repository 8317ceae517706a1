"""The tables of a project's database.

A sentence's id is `corpus_id * 2**32 + position`, so a corpus is one contiguous range
of the primary key: paging, counting and filtering by corpus need no index, and row r of
a corpus's array is the sentence with position r. A pair's id is `mining_id * 2**32 +
place` in the same way: the pairs that were taken come first, the best score first, then
the other candidates.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()


def _origin() -> list[Column[Any]]:
    """Make the columns of the run that made a row, and of the time."""
    return [
        Column("run_id", Integer, ForeignKey("run.id")),
        Column("created_at", Float, nullable=False),
    ]


def _sentence_key() -> Column[int]:
    """Make the key of a table with one row for a sentence."""
    key_type = BigInteger().with_variant(Integer, "sqlite")
    return Column("sentence_id", key_type, primary_key=True)


mining = Table(
    "mining",  # a set of pairs: mined between two sides, scored, aligned or merged
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column(
        "kind", Text, nullable=False
    ),  # mined, scored, aligned, package, by-hand, learned
    Column("state", Text, nullable=False),  # writing, ready, deleted, removing
    Column("source_corpus_id", Integer, nullable=False),
    Column("target_corpus_id", Integer, nullable=False),
    Column("source_language", Text, nullable=False),  # of the sentences; empty: all
    Column("target_language", Text, nullable=False),
    Column("encoder", Text, nullable=False),  # its name when it was used
    Column("fingerprint", Text, nullable=False),
    Column("margin", Text, nullable=False),  # ratio, distance, absolute
    Column("k", Integer, nullable=False),
    Column("retrieval", Text, nullable=False),  # max, intersection, forward, backward
    Column("threshold", Float),  # lowest score; null: none was set
    Column("filters", Text, nullable=False, default="[]"),  # JSON: the recipe's lines
    Column("n_pairs", Integer, nullable=False, default=0),  # that were taken
    Column("n_candidates", Integer, nullable=False, default=0),  # rows behind them
    Column("report", Text, nullable=False, default="{}"),  # JSON: counts, histogram
    *_origin(),
)

pair = Table(
    "pair",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("source_id", Integer, nullable=False),  # its first sentence
    Column("n_source", Integer, nullable=False, default=1),  # sentences in a row
    Column("target_id", Integer, nullable=False),
    Column("n_target", Integer, nullable=False, default=1),
    Column("score", Float, nullable=False),  # by the mining's margin
    Column("cosine", Float, nullable=False),
    Column("source_mean", Float, nullable=False),  # cosine with k nearest targets
    Column("target_mean", Float, nullable=False),  # cosine with k nearest sources
    Column("runner_up_id", Integer),  # the source's best other target
    Column("runner_up_score", Float),
    Column("reverse_id", Integer),  # the target's best other source
    Column("reverse_score", Float),
)

# Append-only. A row is what holds for its pair from then on; the newest row holds. An
# undo is a row too: it restores the judgement before the step that it names.
judgement = Table(
    "judgement",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("step", Integer, nullable=False),  # rows made in one step
    Column("undoes", Integer),  # the step that this one takes back
    Column("verdict_id", Integer),  # judgement that gave the verdict; null: this one
    Column("pair_id", Integer, nullable=False, index=True),
    Column("source_id", Integer, nullable=False),  # what was judged: a runner-up may
    Column("target_id", Integer, nullable=False),  # have been swapped in
    Column("verdict", Text, nullable=False),  # accept, reject, skip, flag; empty: none
    Column("source_text", Text),  # as edited; null: as imported
    Column("target_text", Text),
    Column("note", Text, nullable=False, default=""),
    Column("tags", Text, nullable=False, default="[]"),  # JSON
    Column("who", Text, nullable=False),
    Column("origin", Text, nullable=False, server_default=""),  # package it came with
    Column("created_at", Float, nullable=False),
)
Index("judgement_steps", judgement.c.step, judgement.c.pair_id)
Index("judgement_sentences", judgement.c.source_id, judgement.c.target_id)

# Rows of `judgement` or `opinion`, from the first to the last id, whose verdict was set
# for a range of scores: nobody read those pairs.
judged_range = Table(
    "judged_range",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", Text, nullable=False),  # judgement, opinion
    Column("first_id", Integer, nullable=False),
    Column("last_id", Integer, nullable=False),
)

# Another person's opinion of a pair, merged from a package; append-only. It becomes
# a judgement as well where nobody here had judged the pair. A verdict that was given
# behind `after_id` settles a conflict; an older one was given without knowing of it.
opinion = Table(
    "opinion",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("pair_id", Integer, nullable=False, index=True),
    Column("source_id", Integer, nullable=False),
    Column("target_id", Integer, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("source_text", Text),
    Column("target_text", Text),
    Column("note", Text, nullable=False, default=""),
    Column("tags", Text, nullable=False, default="[]"),  # JSON
    Column("who", Text, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("package_id", Text, ForeignKey("package.id"), nullable=False),
    Column("after_id", Integer, nullable=False),  # newest judgement when it was merged
)

package = Table(
    "package",  # pairs that were handed to somebody, or that somebody handed to us
    metadata,
    Column("id", Text, primary_key=True),  # 128 random bits, the same on both sides
    Column("role", Text, nullable=False),  # given, taken
    Column("mining_id", Integer, nullable=False),
    Column("pair_ids", LargeBinary, nullable=False),  # int64, little-endian, in order
    Column("digest", Text, nullable=False),  # SHA-256 of the package
    *_origin(),
)

# A section of a corpus that belongs together. Sections of one name and the same fields
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
    _sentence_key(),
    # JSON: [[start, end (code points of the text), form, lemma, part of speech], …]
    Column("words", Text, nullable=False),
)

word_index = Table(
    "word_index",  # positions of each word of a corpus: app/engine/words/index.py
    metadata,
    Column("corpus_id", Integer, ForeignKey("corpus.id"), primary_key=True),
    Column("segmenter", Text, nullable=False),  # of the tokenizer
    Column("n_tokens", Integer, nullable=False),
    Column("n_types", Integer, nullable=False),
    Column("has_lemmas", Integer, nullable=False, default=0),
    Column("array", Text, nullable=False),  # stem of the files in arrays/
    *_origin(),
)

subcorpus = Table(
    "subcorpus",  # sentences chosen by a chain of queries
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False),  # ready, deleted
    Column("corpora", Text, nullable=False),  # JSON: ids it begins with; none: all
    Column(
        "steps", Text, nullable=False
    ),  # JSON: lines of the chain, app/params/query_steps.py
    Column("array", Text, nullable=False),  # stem: int64 (n,), ids that rise
    Column("n_sentences", Integer, nullable=False),
    Column("counts", Text, nullable=False),  # JSON: {corpus id: sentences of it}
    *_origin(),
)

hidden = Table(
    "hidden",  # sentences that take no part in anything
    metadata,
    _sentence_key(),
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
    "hit_list",  # saved hits of a concordance
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False),  # ready, deleted
    Column("query", Text, nullable=False),  # JSON of the params Concordance
    Column("n_hits", Integer, nullable=False),
    *_origin(),
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
    *_origin(),
)

entry = Table(
    "entry",
    metadata,
    Column("dictionary_id", Integer, ForeignKey("dictionary.id"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("source", Text, nullable=False),  # as compared: NFKC, case-folded
    Column("target", Text, nullable=False),
)

SCHEMA_VERSION = 8  # a project with a higher number was made by a newer Isogloss
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

text_change = Table(
    "text_change",  # when the text of a sentence changed: an edit, its undo, its redo
    metadata,
    Column("id", Integer, primary_key=True),
    Column("sentence_id", Integer, nullable=False),
    Column("changed_at", Float, nullable=False),  # seconds since 1970, UTC
    Column("old_hash", Integer, nullable=False),  # of the text before; 0: unknown
)

coded_segment = Table(
    "coded_segment",  # an imported segment with inline codes, which its sentence lacks
    metadata,
    _sentence_key(),
    Column("format", Text, nullable=False),  # tmx, xliff-1.2, xliff-2.0
    Column("xml", Text, nullable=False),  # an element seg without namespaces
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
    *_origin(),
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
    *_origin(),
)

prediction = Table(
    "prediction",  # predictions of a classifier for the sentences of a corpus
    metadata,
    Column("id", Integer, primary_key=True),
    Column("classifier_id", Integer, ForeignKey("classifier.id"), nullable=False),
    Column("corpus_id", Integer, ForeignKey("corpus.id"), nullable=False),
    Column("other_id", Integer, nullable=False, default=0),  # corpus of second texts
    Column("n_rows", Integer, nullable=False),
    Column("n_done", Integer, nullable=False),  # rows on disk; == n_rows when ready
    Column("array", Text, nullable=False),  # stem of the files in arrays/
    *_origin(),
    UniqueConstraint("classifier_id", "corpus_id", "other_id"),
)

transfer = Table(
    "transfer",  # one language of a test, with all its measurements
    metadata,
    Column("run_id", Integer, ForeignKey("run.id"), primary_key=True),
    Column("language", Text, primary_key=True),
    Column(
        "details", Text, nullable=False
    ),  # JSON of app.results.transfer.LanguageDetails
    Column("said", LargeBinary, nullable=False),  # int32, predicted class of each row
    Column("gold", LargeBinary, nullable=False),  # int32, the true one
    Column("rows", LargeBinary, nullable=False),  # int64, hashes of the rows
)

measurement = Table(
    "measurement",  # what an evaluation measured, a row at a time
    metadata,
    Column("run_id", Integer, ForeignKey("run.id"), primary_key=True),
    Column("place", Integer, primary_key=True),  # in the order of the run
    Column("row", Text, nullable=False),  # JSON of app.results.measurements.Measurement
)

retrieval_hits = Table(
    "retrieval_hits",  # which sentences an evaluation found, in one direction
    metadata,
    Column("run_id", Integer, ForeignKey("run.id"), primary_key=True),
    Column("place", Integer, primary_key=True),  # in the order of the run
    Column("source", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("data", Text, nullable=False),  # SHA-256 of the texts, in hex
    Column("sample", Text, nullable=False),  # equal: of the same pairs, row by row
    Column("n", Integer, nullable=False),
    Column("hits", LargeBinary, nullable=False),  # a bit for each of n sentences
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
    *_origin(),
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

# The text as the words of a keyword query are matched against: see
# `keyword_index.keyword_text`. Contentless: the sentences are not stored a second time.
FTS_SQL = """
CREATE VIRTUAL TABLE sentence_words USING fts5(
    text, content='', columnsize=0, detail=full,
    tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'"
)
"""
