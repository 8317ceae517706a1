"""The tables of pairs, of what was said of them, and of packages to be judged.

They are part of the schema: `store/schema.py` names them all.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
)

from app.engine.store.metadata import metadata

mining = Table(
    "mining",  # a set of pairs: mined between two sides, scored, aligned or merged
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),  # mined, scored, aligned, package, by-hand
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
    Column("run_id", Integer, ForeignKey("run.id")),
    Column("created_at", Float, nullable=False),
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
# undo is a row too: it brings back what held before the step that it names.
judgement = Table(
    "judgement",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("step", Integer, nullable=False),  # rows made at once
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

# What somebody else said of a pair, merged from a package; append-only too. It becomes
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
    Column("digest", Text, nullable=False),  # SHA-256 of what was handed over
    Column("run_id", Integer, ForeignKey("run.id")),
    Column("created_at", Float, nullable=False),
)
