"""List the features and relations of treebanks that can be asked for."""

from collections.abc import Sequence

from app.engine.probing.treebanks.labels import list_features, list_relations
from app.engine.probing.treebanks.reader import Sentence, read_treebank
from app.engine.runtime.report import Report
from app.protocol.answers.evaluation import TreebankOffers
from app.protocol.queries.evaluation import TreebankQuery

N_OFFERED = 400  # features, and relations, that are listed
N_VALUES = 12  # of a feature
N_SENTENCES = 20_000  # that a query reads, in about 3 s


def list_offers(sentences: Sequence[Sentence]) -> TreebankOffers:
    """List what can be asked for, the most frequent first."""
    features = sorted(
        list_features(sentences).items(),
        key=lambda item: (-item[1].total(), item[0]),
    )
    # one value of a feature is nothing to ask for
    worthy = [(name, values) for name, values in features if len(values) > 1]
    relations = list_relations(sentences)
    return TreebankOffers(
        n_sentences=len(sentences),
        n_features=len(worthy),
        n_relations=len(relations),
        features={
            name: dict(values.most_common(N_VALUES))
            for name, values in worthy[:N_OFFERED]
        },
        relations=dict(relations.most_common(N_OFFERED)),
    )


def answer_treebank_query(query: TreebankQuery, report: Report) -> TreebankOffers:
    """List what the first sentences of treebanks offer.

    Raises:
        UserError: a file is no treebank, or no sentence is usable.
        Cancelled: a newer query replaced this one.
    """
    lengths = (query.fewest_words, query.most_words)
    treebank = read_treebank(query.treebanks, lengths, report, limit=N_SENTENCES)
    return list_offers(treebank.sentences)
