"""Write the methods paragraph of a run."""

from collections.abc import Callable, Sequence
from typing import Any

from app.params import command_name
from app.params.base import TaskParams
from app.params.training.fine_tuning import FineTuneEncoder
from app.results.annotations import CORRECTION_SOURCES
from app.results.measurements import Measurement, Probed

Paragraph = Callable[[Any, Sequence[Measurement]], str]

CLASSIFIERS = {
    "logistic": "logistic regression (L2 penalty chosen on the development split)",
    "mlp": "an MLP with one hidden layer of sigmoid units (size, dropout and "
    "penalty chosen on the development split)",
}
BAG_SENTENCE = (
    " Baselines are averages of word vectors: the mean, and weighted by inverse "
    "document frequency or by smooth inverse frequency (SIF, with and without the "
    "first component; Arora et al. 2017)."
)
RETRIEVAL_SENTENCES = {
    "max": "From the best pairs of both directions, those with the highest scores were "
    "kept, each sentence once.",
    "intersection": "Pairs that are best in both directions were kept.",
    "forward": "The best target of each source was kept.",
    "backward": "The best source of each target was kept.",
}


STS_PARAGRAPH = (
    "The similarity of two sentence vectors (cosine, and −arccos of the cosine, "
    "Yang et al. 2019) was correlated with human scores. Pearson's and Spearman's "
    "coefficients have 95\u00a0% bootstrap intervals over the pairs; nothing was "
    "trained."
)


SPACES_PARAGRAPH = (
    "Vector spaces were compared by the eigenvalues of their neighbour graphs "
    "(Søgaard et al. 2018), and described by isotropy, hubness (Radovanović et "
    "al. 2010), alignment and uniformity (Wang and Isola 2020), and the distance "
    "of translations compared with that of random pairs."
)


def describe_method(params: TaskParams, rows: Sequence[Measurement]) -> str:
    """Return a paragraph on a run's method, or the summary of its task."""
    paragraph = PARAGRAPHS.get(command_name(type(params)))
    if paragraph is None:
        return (type(params).__doc__ or "").splitlines()[0]
    return paragraph(params, rows)


def _describe_probe(params: Any, rows: Sequence[Measurement]) -> str:
    kinds = " and by ".join(CLASSIFIERS[name] for name in params.classifiers)
    text = (
        "Linguistic properties were predicted from frozen sentence vectors (Conneau et "
        f"al. 2018) by {kinds}. Accuracy is the mean of {params.seeds} seeds on the "
        "test split; intervals are 95\u00a0% bootstrap intervals over its rows."
    )
    if params.control:
        text += (
            " Selectivity is the accuracy minus that of a control task with random "
            "classes (Hewitt and Liang 2019)."
        )
    if any(isinstance(row, Probed) and row.baselines for row in rows):
        text += (
            " Baselines are the most frequent class, a classifier on length alone, "
            "naive Bayes on TF-IDF weights of words, and of words with bigrams, the "
            "mean of random and of trained word vectors, averages of trained ones "
            "weighted by inverse document frequency and by smooth inverse frequency "
            "(SIF, with and without the first component; Arora et al. 2017), and the "
            "encoder before training. Human accuracies are those of Conneau et al. "
            "2018."
        )
    return text


def _describe_retrieval(params: Any, rows: Sequence[Measurement]) -> str:
    if params.n_random is not None:
        return (
            f"For each sentence, the translation was ranked among {params.n_random:,} "
            "random sentences of the other language, by dot product; sentences as "
            "near as the translation are ranked before it (Chidambaram et al. 2019). "
            "Intervals are 95\u00a0% Wilson intervals."
        )
    return (
        "A sentence counts as an error when the nearest vector of the other language, "
        "by cosine, is not that of its translation; intervals are 95\u00a0% Wilson "
        "intervals. Errors by margin use the ratio margin over the nearest neighbours "
        "in both languages (Artetxe and Schwenk 2019)."
    )


TATOEBA_PARAGRAPH = (
    "In the Tatoeba test sets, a sentence counts as an error when the nearest vector "
    "of the other language, by cosine, is not that of its translation, from each "
    "language to English and back (Artetxe and Schwenk 2019); intervals are 95\u00a0% "
    "Wilson intervals."
)


def _describe_encoders(params: Any, rows: Sequence[Measurement]) -> str:
    first, second = params.encoders
    return (
        f"Two encoders were compared on the same sentences: what share of the "
        f"{params.k} nearest neighbours by {first or 'the encoder in use'} is among "
        f"the nearest by {second or 'the encoder in use'}, of at most "
        f"{params.sample:,} sentences of each language, with 95\u00a0% bootstrap "
        "intervals; and, where translations are linked, how often the nearest sentence "
        "of the other language is not the translation (Wilson intervals)."
    )


def _describe_downstream(params: Any, rows: Sequence[Measurement]) -> str:
    kind = "Logistic regression"
    if params.n_hidden:
        kind = f"An MLP with {params.n_hidden:,} sigmoid units"
    scaled = "scaled to length 1" if params.normalised else "that were not scaled"
    return (
        f"{kind} on frozen vectors {scaled} was tested as in SentEval (Conneau and "
        "Kiela 2018), with nested cross-validation for sets without a split. Published "
        "scores are quoted from their papers."
        + (BAG_SENTENCE if params.baselines else "")
    )


def _describe_correlations(params: Any, rows: Sequence[Measurement]) -> str:
    correction = CORRECTION_SOURCES[params.correction]
    return (
        "Probing scores were correlated with other scores of the same encoders by "
        "Spearman's ρ (Conneau et al. 2018, section 5); for a task that was measured "
        "again, the newest score is used. p is two-sided, from all orders of up to 8 "
        "encoders and from Student's t beyond, and corrected for the number of cells "
        f"({correction})."
    )


def _describe_transfer(params: Any, rows: Sequence[Measurement]) -> str:
    heads = {"logistic": "Logistic regression", "mlp": "An MLP"}
    head = heads.get(params.head, f"A head of the kind {params.head}")
    source = params.train or f"the trained classifier {params.classifier}"
    return (
        f"{head} on frozen vectors was trained in one language ({params.language}; "
        f"{source}) and tested on {len(params.tests)} sets, without other labels. "
        "Intervals are 95\u00a0% bootstrap intervals over the test rows."
    )


def _describe_mining(params: Any, rows: Sequence[Measurement]) -> str:
    text = (
        f"Sentences of {params.source} and of {params.target or params.source} were "
        "paired by their vectors. A pair's score relates its cosine to the mean "
        f"cosine of both sentences with their {params.k} nearest neighbours on the "
        f"other side: the {params.margin} margin (Artetxe and Schwenk 2019, section "
        f"3.2). {RETRIEVAL_SENTENCES[params.retrieval]}"
    )
    if params.threshold is not None:
        text += f" Pairs below {params.threshold:g} were removed."
    if params.filters:
        text += f" Filters: {', '.join(params.filters)}."
    return text


def _describe_map(params: Any, rows: Sequence[Measurement]) -> str:
    ways = {
        "pca": "are its first two principal components",
        "umap": f"keep the {params.n_neighbours} nearest neighbours by cosine close "
        "together (UMAP, McInnes et al. 2018)",
        "tsne": "keep neighbours by cosine close together (t-SNE, van der Maaten and "
        f"Hinton 2008, perplexity {params.n_neighbours})",
    }
    return (
        f"The two coordinates of each sentence vector {ways[params.method]}; seed "
        f"{params.seed}. Neighbourhoods on a map are more reliable than distances. "
        "Clusters are computed from the vectors, not from the map (spherical k-means, "
        "Dhillon and Modha 2001); keywords have the highest log-odds ratio against "
        "the other clusters, with an informative prior (Monroe et al. 2008)."
    )


def _describe_training(params: Any, rows: Sequence[Measurement]) -> str:
    how, pairs = f"({params.architecture}) was trained", "aligned sentences"
    if isinstance(params, FineTuneEncoder):
        how = f"was trained from {params.initial or 'the encoder in use'}"
        pairs = "the user's own pairs"
    return (
        f"The encoder {params.name} {how} by {', '.join(params.objectives)} on "
        f"{pairs}; the curves show measurements during training."
    )


PARAGRAPHS: dict[str, Paragraph] = {
    "probe": _describe_probe,
    "evaluate-retrieval": _describe_retrieval,
    "evaluate-tatoeba": lambda params, rows: TATOEBA_PARAGRAPH,
    "evaluate-sts": lambda params, rows: STS_PARAGRAPH,
    "evaluate-similarity-of-spaces": lambda params, rows: SPACES_PARAGRAPH,
    "compare-encoders": _describe_encoders,
    "evaluate-downstream": _describe_downstream,
    "correlate-measurements": _describe_correlations,
    "evaluate-transfer": _describe_transfer,
    "mine-pairs": _describe_mining,
    "project-map": _describe_map,
    "train-encoder": _describe_training,
    "fine-tune-encoder": _describe_training,
}
