"""A recipe tried on a sample of a mining's pairs, while its dialog is open."""

from typing import Any

import msgspec
import numpy as np

from app.engine.mining.filters import PairTexts
from app.engine.mining.recipe import MaskShelf, run_recipe, texts_set
from app.engine.project import Project
from app.engine.report import Report
from app.engine.store.pair_rows import pair_ids, read_mining, read_pairs
from app.engine.store.rows import list_corpora, read_sentences
from app.errors import UserError
from app.messages import RecipeQuery
from app.params.filters import parse_recipe

MAX_STEPS = 100  # of 600 bytes each in an answer of at most 64 KB


def preview_recipe(
    project: Project, query: RecipeQuery, shelf: MaskShelf
) -> dict[str, Any]:
    """Say what each filter does with pairs spread evenly over the scores.

    Returns:
        "pairs": size of the sample; "steps": those of `recipe.FilterStep`, whose
        examples are ids of pairs.

    Raises:
        UserError: the mining is gone, or a filter can't be read or applied.
    """
    recipe = parse_recipe(query.filters)
    if len(recipe) > MAX_STEPS:
        raise UserError(f"A recipe has at most {MAX_STEPS} filters.")
    row = read_mining(project.store, query.mining)
    if row is None:
        raise UserError("These pairs are not in the project any more.")
    ids = pair_ids(row)
    places = np.unique(np.linspace(0, max(len(ids) - 1, 0), query.sample).astype(int))
    sample = ids[places[: len(ids)]]
    pairs = [pair for pair in read_pairs(project.store, sample.tolist()) if pair]
    languages = {corpus.id: corpus.language for corpus in list_corpora(project.store)}
    texts = PairTexts(
        _texts(project, [pair.source_id for pair in pairs]),
        _texts(project, [pair.target_id for pair in pairs]),
        row.source_language or languages.get(row.source_corpus_id, ""),
        row.target_language or languages.get(row.target_corpus_id, ""),
    )
    result = run_recipe(texts_set(texts), recipe, shelf, Report())
    steps: list[dict[str, Any]] = msgspec.to_builtins(result.steps)
    for step in steps:
        step["examples"] = [pairs[place].id for place in step["examples"]]
    return {"pairs": len(pairs), "steps": steps}


def _texts(project: Project, ids: list[int]) -> list[str]:
    found = read_sentences(project.store, ids)
    return [row.text if row else "" for row in found]
