"""Find the corpora that the encoders of a project were trained on."""

from collections.abc import Iterator, Sequence

import msgspec
from sqlalchemy import Engine

from app.engine.store.corpora import CorpusRow, list_corpora
from app.engine.store.lookup import find_corpora, find_pair_set
from app.engine.store.pairs.sets import count_links
from app.engine.store.runs import DELETED, list_runs
from app.errors import UserError
from app.languages import parse_language
from app.params import command_name, params_from_json
from app.params.encoders import AlignEncoder
from app.params.training.encoder import TrainEncoder
from app.params.training.fine_tuning import FineTuneEncoder
from app.params.translation import TrainTranslation

Training = TrainEncoder | TrainTranslation | AlignEncoder
TASKS = (TrainEncoder, FineTuneEncoder, TrainTranslation, AlignEncoder)
N_RUNS = 1_000  # maximum number of trainings read per task, newest first


def read_trained_corpora(store: Engine) -> dict[str, frozenset[int]]:
    """Return the ids of the corpora that each encoder of the project was trained on.

    These are the corpora and pair sets of the newest finished training, the corpora
    linked with them, and the same for the encoder that the training started from.
    """
    trainings = _read_trainings(store)
    found = {name: frozenset(_find_own(store, one)) for name, one in trainings.items()}
    return {name: _join_initial(name, trainings, found) for name in trainings}


def _join_initial(
    name: str, trainings: dict[str, Training], found: dict[str, frozenset[int]]
) -> frozenset[int]:
    """Add the corpora of the chain of encoders that an encoder was trained from."""
    ids: frozenset[int] = frozenset()
    seen: set[str] = set()
    while name in trainings and name not in seen:
        seen.add(name)
        ids |= found[name]
        name = _initial(trainings[name])
    return ids


def _read_trainings(store: Engine) -> dict[str, Training]:
    """Return the newest finished training of each encoder by its name."""
    found: dict[str, Training] = {}
    rows = [
        row
        for task in [command_name(one) for one in TASKS]
        for row in list_runs(store, task=task, limit=N_RUNS, has_deleted=True)
        if row.state.removeprefix(DELETED) == "finished"
    ]
    for row in sorted(rows, key=lambda row: -row.id):
        try:
            params = params_from_json(row.params)
        except msgspec.MsgspecError:
            continue  # written by another version
        found.setdefault(params.name or (params.out.name if params.out else ""), params)
    return found


def _initial(params: Training) -> str:
    if isinstance(params, AlignEncoder):
        return params.english
    return params.initial if isinstance(params, TrainEncoder) else ""


def _find_own(store: Engine, params: Training) -> set[int]:
    """Return the ids of the corpora whose sentences a training read as pairs."""
    if isinstance(params, AlignEncoder):
        own = _find_ids(store, [params.corpus] if params.corpus else [])
        return own.union(*(count_links(store, id_) for id_ in own))
    chosen = _find_ids(store, params.corpora)
    if isinstance(params, TrainTranslation):
        return chosen
    ids = chosen.union(*(count_links(store, id_) for id_ in chosen))
    for name in params.pair_sets:
        ids |= _find_pair_set(store, name)
    if params.languages:
        languages = {parse_language(code).code for code in (*params.languages, "en")}
        ids &= {row.id for row in list_corpora(store) if row.language in languages}
    return ids - _find_ids(store, params.kept_out_corpora)


def _find_pair_set(store: Engine, name: str) -> set[int]:
    try:
        row = find_pair_set(store, name)
    except UserError:
        return set()  # deleted in the meantime
    return {row.source_corpus_id, row.target_corpus_id}


def _find_ids(store: Engine, names: Sequence[str]) -> set[int]:
    """Return the ids of corpora, without deleted corpora."""
    return {row.id for name in names for row in _find_named(store, name)}


def _find_named(store: Engine, name: str) -> Iterator[CorpusRow]:
    try:
        yield from find_corpora(store, [name])
    except UserError:
        return
