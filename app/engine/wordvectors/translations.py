"""List translations of a word: by NN, ISF and CSLS, next to linked sentences."""

from collections.abc import Mapping

from app.engine.words.tokenizer import fold_word
from app.engine.wordvectors.spaces import WordSpace
from app.engine.wordvectors.table import WordLookup
from app.errors import UserError
from app.languages import language_name
from app.protocol.answers.words import TranslationRow

AGREEMENT = 10  # ranks by CSLS within which an equivalent from links agrees
HUB_FACTOR = 5  # times the mean number of neighbours, from which a word is a hub


def list_translations(
    space: WordSpace, text: str, top: int, linked: Mapping[str, int]
) -> list[TranslationRow]:
    """List the best translations by each ranking, in the order of CSLS.

    Args:
        text: a source word.
        top: translations by each ranking.
        linked: pairs of linked sentences by case-folded equivalent.

    Raises:
        UserError: the word has no vector, or it is a target word.
    """
    row = _find_source_word(space, text)
    near = space.near
    n = len(space.target.words)
    ranked = {
        name: space.rank(row, min(top, n), name) for name in ("csls", "isf", "nn")
    }
    ranks: dict[str, dict[int, int]] = {
        name: {target: index for index, target in enumerate(found.rows[0].tolist(), 1)}
        for name, found in ranked.items()
    }
    wanted = list(dict.fromkeys(row for found in ranks.values() for row in found))
    cosines = space.target.vectors[wanted] @ space.mapped[row]
    least = HUB_FACTOR * float(near.hub_counts.mean())
    rows = []
    for target, cosine in zip(wanted, cosines.tolist(), strict=True):
        word = space.target.words[target]
        means = float(near.source_means[row] + near.target_means[target])
        n_linked = linked.get(fold_word(word), 0)
        rows.append(
            TranslationRow(
                item=word,
                csls=2 * cosine - means,
                csls_rank=ranks["csls"].get(target),
                isf_rank=ranks["isf"].get(target),
                nn_rank=ranks["nn"].get(target),
                cosine=cosine,
                rank=target + 1,
                n_neighbours=int(near.hub_counts[target]),
                is_hub=bool(near.hub_counts[target] > least),
                n_linked=n_linked,
                agrees=n_linked > 0 and ranks["csls"].get(target, top) <= AGREEMENT,
            )
        )
    return sorted(rows, key=lambda one: -one.csls)


def _find_source_word(space: WordSpace, text: str) -> int:
    """Return the row of a source word.

    Raises:
        UserError: the word has no vector, or it is a target word.
    """
    lookup, word = WordLookup(space.source.words), " ".join(text.split())
    is_target = WordLookup(space.target.words).find(word) is not None
    if lookup.find(word) is None and is_target:
        source, target = (
            language_name(table.language) if table.language else f"the {side} language"
            for table, side in ((space.source, "source"), (space.target, "target"))
        )
        raise UserError(
            f"“{word}” is a word of {target}, and these bilingual vectors are from "
            f"{source} to {target}. Enter a word of {source}, or make bilingual "
            f"vectors from {target} to {source}."
        )
    return lookup.row(text)
