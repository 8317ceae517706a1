"""The tables of a project's database.

A sentence's id is `corpus_id * 2**32 + position`, so a corpus is one contiguous range
of the primary key: paging, counting and filtering by corpus need no index, and row r of
a corpus's array is the sentence with position r. A pair's id is `mining_id * 2**32 +
place` in the same way: the selected pairs come first, best score first, then the other
candidates.
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
    """Return the columns for the run that created a row, and for the time."""
    return [
        Column("run_id", Integer, ForeignKey("run.id")),
        Column("created_at", Float, nullable=False),
    ]


def _sentence_key() -> Column[int]:
    """Return the key column of a table with one row per sentence."""
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
    Column("source_language", Text, nullable=False),  # empty: all
    Column("target_language", Text, nullable=False),
    Column("encoder", Text, nullable=False),  # its name when it was used
    Column("fingerprint", Text, nullable=False),
    Column("margin", Text, nullable=False),  # ratio, distance, absolute
    Column("k", Integer, nullable=False),
    Column("retrieval", Text, nullable=False),  # max, intersection, forward, backward
    Column("threshold", Float),  # lowest score; null: none was set
    Column("filters", Text, nullable=False, default="[]"),  # JSON: the recipe's lines
    Column("n_pairs", Integer, nullable=False, default=0),  # selected pairs
    Column("n_candidates", Integer, nullable=False, default=0),  # rows after them
    Column("report", Text, nullable=False, default="{}"),  # JSON: counts, histogram
    *_origin(),
)

pair = Table(
    "pair",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("source_id", Integer, nullable=False),  # first sentence
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

# Append-only. A row is the state of its pair from then on; the newest row applies. An
# undo is also a row, which restores the judgement before the undone step.
judgement = Table(
    "judgement",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("step", Integer, nullable=False),  # rows made in one step
    Column("undoes", Integer),  # the step that this one undoes
    Column("verdict_id", Integer),  # judgement that set the verdict; null: this one
    Column("pair_id", Integer, nullable=False, index=True),
    Column("source_id", Integer, nullable=False),  # what was judged: a runner-up may
    Column("target_id", Integer, nullable=False),  # have been swapped in
    Column("verdict", Text, nullable=False),  # accept, reject, skip, flag; empty: none
    Column("source_text", Text),  # as edited; null: as imported
    Column("target_text", Text),
    Column("note", Text, nullable=False, default=""),
    Column("tags", Text, nullable=False, default="[]"),  # JSON
    Column("who", Text, nullable=False),
    Column("origin", Text, nullable=False, server_default=""),  # package it is from
    Column("created_at", Float, nullable=False),
)
Index("judgement_steps", judgement.c.step, judgement.c.pair_id)
Index("judgement_sentences", judgement.c.source_id, judgement.c.target_id)

# Rows of `judgement` or `opinion`, from the first to the last id, whose verdict was set
# for a range of scores, without reading the pairs.
judged_range = Table(
    "judged_range",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", Text, nullable=False),  # judgement, opinion
    Column("first_id", Integer, nullable=False),
    Column("last_id", Integer, nullable=False),
)

# Another person's opinion of a pair, merged from a package; append-only. It also
# becomes a judgement if nobody in this project had judged the pair. A verdict after
# `after_id` resolves a conflict; an older verdict was made without knowledge of the
# opinion.
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
    "package",  # pairs given to another annotator, or taken from one
    metadata,
    Column("id", Text, primary_key=True),  # 128 random bits, the same on both sides
    Column("role", Text, nullable=False),  # given, taken
    Column("mining_id", Integer, nullable=False),
    Column("pair_ids", LargeBinary, nullable=False),  # int64, little-endian, in order
    Column("digest", Text, nullable=False),  # SHA-256 of the package
    *_origin(),
)

# A section of a corpus. Sections with the same name and fields are one document; a
# corpus without sections is a single document.
document = Table(
    "document",
    metadata,
    Column("corpus_id", Integer, ForeignKey("corpus.id"), primary_key=True),
    Column("first", Integer, primary_key=True),  # position of the first sentence
    Column("n_sentences", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("fields", Text, nullable=False, default="{}"),  # JSON: {name: text}
)

analysis = Table(
    "analysis",  # the words of a sentence, as annotated in its source
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
    Column("corpora", Text, nullable=False),  # JSON: ids it starts from; empty: all
    Column(
        "steps", Text, nullable=False
    ),  # JSON: lines of the chain, app/params/query_steps.py
    Column("array", Text, nullable=False),  # stem: int64 (n,), ascending ids
    Column("n_sentences", Integer, nullable=False),
    Column("counts", Text, nullable=False),  # JSON: {corpus id: number of sentences}
    *_origin(),
)

hidden = Table(
    "hidden",  # sentences that are excluded everywhere
    metadata,
    _sentence_key(),
    Column("state", Text, nullable=False),  # hidden, removed
    Column("reason", Text, nullable=False, default=""),
    Column("step", Integer, nullable=False, index=True),  # equal: hidden at once
)

finding = Table(
    "finding",  # one or two sentences that a quality check found
    metadata,
    Column("run_id", Integer, ForeignKey("run.id"), primary_key=True),
    Column("place", Integer, primary_key=True),  # in the order of the run
    Column("kind", Text, nullable=False),
    Column("sentence_id", Integer, nullable=False),
    Column("other_id", Integer),  # the sentence that it is compared with
    Column("cosine", Float),
    Column("similarity", Float),  # of the letters, 0 to 1
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

SCHEMA_VERSION = 8  # projects of newer versions have a higher number
CORPUS_STRIDE = 2**32  # ids that one corpus, or one mining, may use

corpus = Table(
    "corpus",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("language", Text, nullable=False),  # normalised: zh-Hans, en, swh
    Column("language_given", Text, nullable=False),  # as entered by the user
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
    "classifier",  # its folder is in classifiers/
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False),  # ready, deleted
    Column("folder", Text, nullable=False),  # in classifiers/; never changes
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
    "measurement",  # measurements of an evaluation
    metadata,
    Column("run_id", Integer, ForeignKey("run.id"), primary_key=True),
    Column("place", Integer, primary_key=True),  # in the order of the run
    Column("row", Text, nullable=False),  # JSON of app.results.measurements.Measurement
)

retrieval_hits = Table(
    "retrieval_hits",  # sentences that an evaluation found, in one direction
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
    Column("file", Text, primary_key=True),  # path as given
    Column("sha256", Text, nullable=False),  # in hex
)

projection = Table(
    "projection",  # a map: coordinates and cluster of each sentence
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
    "edit",  # journal of every small change with its inverse, for undo
    metadata,
    Column("id", Integer, primary_key=True),
    Column("change", Text, nullable=False),  # JSON of messages.Change
    Column("inverse", Text, nullable=False),  # JSON of messages.Change
    Column("undone", Integer, nullable=False, default=0),
    Column("who", Text, nullable=False),
    Column("created_at", Float, nullable=False),
)

view_state = Table(
    "view_state",  # one row per window session
    metadata,
    Column("id", Integer, primary_key=True),
    Column("state", Text, nullable=False),  # JSON, owned by the window
    Column("opened_at", Float, nullable=False),
    Column("saved_at", Float, nullable=False),
)

# The texts that keyword queries are matched against (see `keyword_index.keyword_text`).
# Contentless: the sentences are not stored a second time.
FTS_SQL = """
CREATE VIRTUAL TABLE sentence_words USING fts5(
    text, content='', columnsize=0, detail=full,
    tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'"
)
"""
