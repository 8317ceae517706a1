"""A review whose engine makes queues and answers when told."""

from pathlib import Path

import numpy as np

from app.engine.store.pairs.sets import first_pair_id
from app.protocol import commands, events
from app.protocol.answers.pairs import (
    AgreementAnswer,
    MatchedWord,
    MatchedWords,
    PairExplanation,
    PairNeighbour,
    QueueAnswer,
    ThresholdAnswer,
)
from app.protocol.edits.pairs import JudgePairs
from app.protocol.queries.pairs import (
    AgreementQuery,
    ExplainQuery,
    QueueQuery,
    ThresholdQuery,
)
from tests.views.stage import Stage

N = 6
NO_AGREEMENT = AgreementAnswer([], 0, None, None, None, 0, "")


def explain(query: ExplainQuery) -> PairExplanation:
    """Explain a pair whose first word has no vector."""
    return PairExplanation(
        pair=query.pair,
        score=1.2,
        margin="ratio",
        cosine=0.6,
        source_mean=0.5,
        target_mean=0.5,
        denominator=0.5,
        text="",
        source_neighbours=[PairNeighbour(2 * 2**32 + n, 0.7) for n in range(2)],
        target_neighbours=[],
        words=MatchedWords([MatchedWord(0, 3, None), MatchedWord(4, 8, 0.5)], []),
    )


class Reviewed(Stage):
    """A stage whose engine makes queues and is silent about changes until told."""

    def __init__(self, folder: Path):
        super().__init__(folder)
        self.commits = False
        meet = self.client._meet

        def _meet(command: commands.Command) -> None:
            change = command.change if isinstance(command, commands.Edit) else None
            if self.commits and isinstance(change, JudgePairs):
                self.tell(events.Changed("pair", change.pairs[0]))
            meet(command)

        self.client._meet = _meet  # type: ignore[method-assign] # plays more of the engine
        self.client.answers |= {
            QueueQuery: self._queue,
            ExplainQuery: explain,
            ThresholdQuery: lambda query: ThresholdAnswer(
                0, [], None, "At 1.06, 93 % are right."
            ),
            AgreementQuery: lambda query: NO_AGREEMENT,
        }

    def _queue(self, query: QueueQuery) -> QueueAnswer:
        ids = np.arange(N, dtype=np.int64) + first_pair_id(query.mining)
        file = self.folder / "arrays" / "queue.npy"
        file.parent.mkdir(exist_ok=True)
        np.save(file, ids)
        return QueueAnswer("arrays/queue.npy", N, {"": N})

    def judged(self) -> list[JudgePairs]:
        """Return the judgements that were sent."""
        return [c for c in self.client.changes() if isinstance(c, JudgePairs)]

    def tell(self, event: events.Event) -> None:
        """Let the engine say something."""
        self.client.event_received.emit(event)
