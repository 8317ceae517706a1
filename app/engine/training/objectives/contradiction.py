"""Contradiction: reject sentences with a different meaning in almost the same words.

Translation ranking alone rarely sees two sentences that differ only in a number, a name
or a negation. This objective adds negatives: an English sentence with one fact changed,
as in the variants of xsim++ (Chen et al. 2023), and the contradicted hypothesis of a
premise that also has an entailed one, as in supervised SimCSE (Gao et al. 2021, section
4.1).
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from app.engine.runtime.report import Report
from app.engine.text.changed_facts import change_facts
from app.engine.text.line_files import file_stem, language_pair, read_pairs
from app.engine.training.data.row_store import (
    Row,
    RowGroup,
    RowStore,
    SkippedRows,
    StoreFiller,
    make_store,
    open_store,
)
from app.engine.training.data.sampler import BatchSampler
from app.engine.training.data.tables import CLASSES, read_inference
from app.engine.training.objective import (
    Columns,
    ObjectiveContext,
    ObjectiveLoss,
    encode_columns,
    take_columns,
)
from app.engine.training.objectives.contrast import (
    Temperature,
    contrastive_loss,
)
from app.engine.training.objectives.sampled import SampledObjective
from app.errors import UserError
from app.languages import parse_language

if TYPE_CHECKING:
    from app.engine.encoders.neural import SentenceModule

NAME = "contradiction"
BLOCK_PAIRS = 2_000  # entities are exchanged between the sentences of a block
ENTAILED, CONTRADICTED = CLASSES.index("entailment"), CLASSES.index("contradiction")


class ContradictionExamples(NamedTuple):
    """Sentences, their matches, and contradictions of the matches.

    Attributes:
        columns: sentences, matches, contradictions; b of each.
        masked: bool (b, 2b), matches and contradictions that are not negatives.
    """

    columns: Columns
    masked: NDArray[np.bool_]


class ContradictionObjective(SampledObjective[BatchSampler]):
    """Rank each sentence's match above all other matches and contradictions."""

    name = NAME

    def __init__(self, context: ObjectiveContext, store: RowStore):
        params = context.params
        self._temperature = Temperature(params)
        self.heads: nn.Module = nn.ModuleDict({"temperature": self._temperature})
        self.heads.to(context.device)
        self.n_examples = store.n_rows
        self.notes = store.notes
        self._context = context
        self._store = store
        self._drawer = BatchSampler(
            store.groups, store.n_tokens(), params, smallest=2, seed=2
        )

    def draw(self, step: int) -> ContradictionExamples:
        """Draw sentences with their matches and contradictions."""
        rows = self._drawer.draw()
        columns = [3 * rows, 3 * rows + 1, 3 * rows + 2]
        sentences, matches, _ = (self._store.hashes[column] for column in columns)
        masked = sentences[:, None] == sentences
        masked |= matches[:, None] == matches
        # only a pair's own contradiction is certainly not a match of an equal pair
        masked = np.concatenate([masked, masked], axis=1)
        own = np.arange(len(rows))
        masked[own, own] = masked[own, own + len(rows)] = False
        return ContradictionExamples(take_columns(self._store.tokens, columns), masked)

    def loss(
        self, module: "SentenceModule", examples: ContradictionExamples
    ) -> ObjectiveLoss:
        """Return the loss, and the share of sentences with a wrong first rank."""
        params, device = self._context.params, self._context.device
        sentences, *candidates = encode_columns(module, examples.columns, device)
        found = contrastive_loss(
            sentences,
            torch.cat(candidates),
            torch.from_numpy(examples.masked).to(device),
            self._temperature.scoring(params.margin),
        )
        return ObjectiveLoss.of_columns(
            examples.columns, found.loss, {"error": float(found.error)}
        )


def make_contradiction(
    context: ObjectiveContext, report: Report
) -> ContradictionObjective:
    """Make the objective from the context's aligned files and the NLI files.

    Raises:
        UserError: no sentence can be changed, and no premise has both hypotheses.
    """
    folder = context.folder / NAME
    store = open_store(folder)
    if store is None:
        filler = StoreFiller(context.tokeniser, context.kept_out, 3, "sentence")
        seed = context.params.seed
        groups = [
            RowGroup(file_stem(file), _read_changed(file, seed))
            for file in context.files
        ]
        groups += [
            RowGroup(file_stem(file), _read_contradicted(file, filler.left_out))
            for file in context.params.nli
        ]
        store = make_store(folder, groups, filler, report)
    if store.n_rows < 2:
        raise UserError(
            "The objective contradiction found nothing to change: it needs pairs with "
            "English as the first side, or NLI files."
        )
    return ContradictionObjective(context, store)


def _read_changed(file: Path, seed: int) -> Iterator[Row]:
    """Yield (foreign, English, English with one fact changed).

    English is the first side, unless the file name specifies that it is the second.
    """
    pairs = read_pairs(file)
    if parse_language(language_pair(file)[1]).code == "en":
        pairs = ((english, foreign) for foreign, english in pairs)
    generator = np.random.default_rng([seed, 4])
    while block := list(islice(pairs, BLOCK_PAIRS)):
        changed = change_facts([english for english, _ in block], generator)
        for (english, foreign), new in zip(block, changed, strict=True):
            if new:
                yield Row((foreign, english, new))


def _read_contradicted(file: Path, left_out: SkippedRows) -> Iterator[Row]:
    """Yield (premise, entailed, contradicted) of each premise that has both."""
    hypotheses: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in read_inference(file, left_out):
        premise, hypothesis = row.texts
        hypotheses[premise][row.tag].append(hypothesis)
    for premise, of_class in hypotheses.items():
        for entailed, contradicted in zip(
            of_class[ENTAILED], of_class[CONTRADICTED], strict=False
        ):
            yield Row((premise, entailed, contradicted))
