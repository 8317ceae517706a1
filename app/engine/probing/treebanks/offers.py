"""Lists of the features and relations available in treebanks."""

from collections import Counter
from collections.abc import Iterator, Sequence

from app.engine.probing.treebanks.labels import PLACES, bearer_of, relation_names
from app.engine.probing.treebanks.reader import Sentence, Word, read_treebank
from app.engine.runtime.report import Report
from app.protocol.answers.evaluation import TreebankOffers
from app.protocol.queries.evaluation import TreebankQuery

N_OFFERED = 400  # listed features, and relations
N_VALUES = 12  # per feature
N_SENTENCES = 20_000  # read by a query in about 3 s


def list_offers(sentences: Sequence[Sentence]) -> TreebankOffers:
    """List features and relations, most frequent first."""
    features = sorted(
        list_features(sentences).items(),
        key=lambda item: (-item[1].total(), item[0]),
    )
    # a feature with a single value is useless
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
    """List the features and relations of the first sentences of treebanks.

    Raises:
        UserError: a file is not a treebank, or no sentence is usable.
        Cancelled: a newer query replaced this one.
    """
    lengths = (query.fewest_words, query.most_words)
    treebank = read_treebank(query.treebanks, lengths, report, limit=N_SENTENCES)
    return list_offers(treebank.sentences)


def list_features(sentences: Sequence[Sentence]) -> dict[str, Counter[str]]:
    """Count the available features: position:feature → value → sentences."""
    found: dict[str, Counter[str]] = {}
    for sentence in sentences:
        for place, word in _bearers(sentence):
            for feature, value in word.feats.items():
                found.setdefault(f"{place}:{feature}", Counter())[value] += 1
    return found


def list_relations(sentences: Sequence[Sentence]) -> Counter[str]:
    """Count the sentences with a relation, and (root:…) with it on the root."""
    found: Counter[str] = Counter()
    for sentence in sentences:
        root = sentence.root
        names = {form for word in sentence.words for form in relation_names(word)}
        own = {
            form
            for i in sentence.children(root)
            for form in relation_names(sentence.words[i])
        }
        found.update(names - {"root"})
        found.update(f"root:{name}" for name in own)
    return found


def _bearers(sentence: Sentence) -> Iterator[tuple[str, Word]]:
    """Yield `bearer_of` of each position, for a word class once per feature."""
    for place in PLACES:
        found = bearer_of(sentence, place)
        if not isinstance(found, str):
            yield place, found
    counts = Counter(
        (word.kind, feature) for word in sentence.words for feature in word.feats
    )
    for word in sentence.words:
        once = {f: v for f, v in word.feats.items() if counts[word.kind, f] == 1}
        if once:
            yield word.kind, word._replace(feats=once)
