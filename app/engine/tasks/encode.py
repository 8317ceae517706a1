"""Task: encode corpora to vectors on disk, in resumable shards."""

import time
from collections.abc import Sequence

from app.engine.encoders.encoder import has_language
from app.engine.encoders.registry import load_encoder
from app.engine.project.project import Project
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.search.corpus_encoding import EncodedCorpus, encode_corpora
from app.engine.store.corpora import CorpusRow
from app.engine.store.lookup import find_corpora
from app.languages import language_name
from app.params.vectors import Encode
from app.plurals import count_text
from app.results.task import TaskResult


class EncodeResult(TaskResult, frozen=True):
    """The result of encoding."""

    encoder: str
    device: str
    dim: int
    sentences: int
    encoded: int
    reused: int
    zero_rows: int
    seconds: float
    corpora: list[EncodedCorpus]


def encode(project: Project, params: Encode, report: Report) -> EncodeResult:
    """Encode corpora, and save one vector for each sentence in the project.

    Raises:
        UserError: unknown corpus or encoder, or the encoder supports no corpus's
            language.
        ResourceError: the disk is too full.
        Cancelled: finished shards are saved, and the next run resumes after them.
    """
    begun = time.monotonic()
    corpora = find_corpora(project.store, params.corpora)
    device = preferred_device()
    report.step("Loading the encoder", 0, 1)
    encoder = load_encoder(params.encoder, project.folder, device=device)
    known = [one for one in corpora if has_language(encoder, one.language)]
    # if no corpus remains, the error names the languages of the encoder
    done = encode_corpora(project, encoder, known or corpora, report)
    return EncodeResult(
        encoder=encoder.name,
        device=device,
        dim=encoder.dim,
        sentences=sum(one.sentences for one in done),
        encoded=sum(one.encoded for one in done),
        reused=sum(one.reused for one in done),
        zero_rows=sum(one.zero_rows for one in done),
        seconds=time.monotonic() - begun,
        message=_message(done, encoder.name)
        + _note_unknown(corpora, known, encoder.name)
        + _note_subcorpora(known),
        corpora=done,
    )


def _note_unknown(
    corpora: Sequence[CorpusRow], known: Sequence[CorpusRow], encoder: str
) -> str:
    """Return a note on the corpora in languages that the encoder can't encode."""
    skipped = [corpus for corpus in corpora if corpus not in known]
    if not skipped:
        return ""
    n = count_text(len(skipped), "corpus", "corpora")
    names = sorted({language_name(corpus.language) for corpus in skipped})
    return f" Skipped {n}, because {encoder} can't encode {', '.join(names)}."


def _note_subcorpora(corpora: Sequence[CorpusRow]) -> str:
    """Return a note that the corpora of sub-corpora are encoded completely."""
    names = ", ".join(corpus.name for corpus in corpora if corpus.subcorpus)
    return f" The corpora of sub-corpora are encoded whole: {names}." if names else ""


def _message(done: Sequence[EncodedCorpus], encoder: str) -> str:
    """Return the message of the result."""
    n_new = sum(one.encoded + one.reused for one in done)
    if not n_new:
        names = ", ".join(one.corpus for one in done)
        return f"{names}: already encoded by {encoder}."
    message = f"{count_text(n_new, 'sentence')} encoded by {encoder}."
    n_zero = sum(one.zero_rows for one in done)
    if not n_zero:
        return message
    skipped = count_text(n_zero, "sentence")
    return (
        f"{message} Search skips {skipped}, because the encoder knows no part of them."
    )
