"""Lines that are kept as a list of hits, and lists that are taken up again."""

import msgspec
import numpy as np

from app.engine.project import Project
from app.engine.report import Report
from app.engine.store.bulk import read_integers
from app.engine.store.hit_rows import KeptHits, find_hit_list, read_kept_hits
from app.engine.store.hit_writes import NewHitList, write_hit_list
from app.engine.store.rows import corpus_of, first_id, list_corpora
from app.engine.words.lines import Lines
from app.errors import UserError
from app.params import Concordance, params_from_json, params_to_json
from app.plurals import count_text

STAGE = "keep hits"


def keep_lines(
    project: Project, params: Concordance, name: str, found: Lines, report: Report
) -> int:
    """Keep lines as a list, with the query that found them; returns its id."""
    ids = found.lines[:, 0]
    hashes, numbers = np.zeros(len(ids), np.int64), np.zeros(len(ids), np.int64)
    corpora = sorted({corpus_of(id_) for id_ in ids.tolist()})
    for done, corpus_id in enumerate(corpora):
        report.step(STAGE, done, len(corpora))
        own = (ids >= first_id(corpus_id)) & (ids < first_id(corpus_id + 1))
        rows = ids[own] - first_id(corpus_id)
        hashes[own] = read_integers(project.store, corpus_id, "hash")[rows]
        numbers[own] = read_integers(project.store, corpus_id, "line")[rows]
    query = msgspec.structs.replace(params, out=None, save="", hits="")
    new = NewHitList(name, params_to_json(query), report.run)
    kept = write_hit_list(project.store, new, KeptHits(found.lines, hashes, numbers))
    report.changed("hit_list", kept)
    return kept


def take_up(project: Project, params: Concordance) -> tuple[Concordance, Lines]:
    """Take the lines of a kept list, as far as their corpora are there.

    Returns:
        The params with the query of the list in the place of none, and the lines.

    Raises:
        UserError: there is no such list, a text is given as well, or nothing is left.
    """
    if params.text:
        raise UserError("Look for a text or take a kept list: --text or --hits.")
    kept = find_hit_list(project.store, params.hits)
    lines = read_kept_hits(project.store, kept.id).lines
    known = {corpus.id: corpus for corpus in list_corpora(project.store)}
    owners = lines[:, 0] // first_id(1)
    lines = lines[np.isin(owners, list(known))]
    if not len(lines):
        raise UserError(f"The corpora of the list {kept.name} are deleted.")
    own = [known[id_] for id_ in np.unique(owners).tolist() if id_ in known]
    n_gone = kept.n_hits - len(lines)
    note = f"Of deleted corpora, and so left out: {count_text(n_gone, 'hit')}."
    found = Lines(
        lines[: params.top],
        np.empty((0, 0), np.int32),
        n=len(lines),
        n_sentences=len(np.unique(lines[:, 0])),
        n_searched=sum(corpus.n_sentences for corpus in own),
        n_tokens=None,
        is_cut=False,
        not_indexed=[],
        notes=[note] if n_gone else [],
    )
    asked = params_from_json(kept.query)
    asked = msgspec.structs.replace(
        asked,
        hits=params.hits,
        corpora=tuple(str(corpus.id) for corpus in own),
        top=params.top,
        near=params.near,
        context=params.context,
        out=params.out,
        save=params.save,
    )
    return asked, found


__all__ = ["keep_lines", "take_up"]
