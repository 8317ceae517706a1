"""Write the methods paragraph of a run."""

from collections.abc import Callable, Sequence
from typing import Any

from app.params import command_name
from app.params.base import TaskParams
from app.results.annotations import CORRECTION_SOURCES
from app.results.measurements import Measurement, Probed

Paragraph = Callable[[Any, Sequence[Measurement]], str]

CLASSIFIERS = {
    "logistic": "logistic regression (L2 penalty chosen on the development split)",
    "mlp": "a perceptron with one hidden layer of sigmoid units (size, dropout and "
    "penalty chosen on the development split)",
}
RETRIEVAL_SENTENCES = {
    "max": "Of the best pairs of both directions the highest scores were taken, each "
    "sentence once.",
    "intersection": "The pairs were taken that are best in both directions.",
    "forward": "The best target of each source was taken.",
    "backward": "The best source of each target was taken.",
}


def describe_method(params: TaskParams, rows: Sequence[Measurement]) -> str:
    """Return what a run did; of a task without a paragraph, its own first sentence."""
    paragraph = PARAGRAPHS.get(command_name(type(params)))
    if paragraph is None:
        return (type(params).__doc__ or "").splitlines()[0]
    return paragraph(params, rows)


def _describe_probe(params: Any, rows: Sequence[Measurement]) -> str:
    kinds = " and by ".join(CLASSIFIERS[name] for name in params.classifiers)
    text = (
        "Linguistic properties were predicted from frozen sentence vectors (Conneau et "
        f"al. 2018) by {kinds}. Accuracy is the mean of {params.seeds} seeds on the "
        "test split; intervals are 95 % bootstrap intervals over its rows."
    )
    if params.control:
        text += (
            " Selectivity is the accuracy less that of a control task with random "
            "classes (Hewitt and Liang 2019)."
        )
    if any(isinstance(row, Probed) and row.baselines for row in rows):
        text += (
            " Beside it stand the most frequent class, a classifier of the length "
            "alone, naive Bayes on TF-IDF weights, the mean of random word vectors, "
            "and the encoder's untrained twin."
        )
    return text


def _describe_retrieval(params: Any, rows: Sequence[Measurement]) -> str:
    return (
        "A sentence counts as an error when the nearest vector of the other side, by "
        "cosine, is not that of its translation; intervals are 95 % Wilson intervals. "
        "Errors by margin take the ratio margin over the nearest neighbours of both "
        "sides (Artetxe and Schwenk 2019)."
    )


def _describe_sts(params: Any, rows: Sequence[Measurement]) -> str:
    return (
        "The similarity of two sentence vectors (cosine, and −arccos of it, Yang et "
        "al. 2019) was correlated with scores that people gave. Pearson's and "
        "Spearman's coefficients carry 95 % bootstrap intervals over the pairs; "
        "nothing was trained."
    )


def _describe_spaces(params: Any, rows: Sequence[Measurement]) -> str:
    return (
        "The spaces of vectors were compared by the eigenvalues of their neighbour "
        "graphs (Søgaard et al. 2018), and described by isotropy, hubness (Radovanović "
        "et al. 2010), alignment and uniformity (Wang and Isola 2020) and by the "
        "distance of translations against that of random pairs."
    )


def _describe_encoders(params: Any, rows: Sequence[Measurement]) -> str:
    first, second = params.encoders
    return (
        f"Two encoders were compared on the same sentences: what share of the "
        f"{params.k} nearest neighbours by {first or 'the encoder in use'} is among "
        f"the nearest by {second or 'the encoder in use'}, of at most "
        f"{params.sample:,} sentences of each language, with 95 % bootstrap intervals; "
        "and, where translations are linked, how often the nearest sentence of the "
        "other language is not the translation (Wilson intervals)."
    )


def _describe_downstream(params: Any, rows: Sequence[Measurement]) -> str:
    return (
        "Classifiers on frozen vectors were tested in the manner of SentEval (Conneau "
        "and Kiela 2018): nested cross-validation where a set has no split. Published "
        "scores stand beside ours as their papers give them."
    )


def _describe_correlations(params: Any, rows: Sequence[Measurement]) -> str:
    correction = CORRECTION_SOURCES[params.correction]
    return (
        "What probing finds was set against other scores of the same encoders by "
        "Spearman's ρ (Conneau et al. 2018, section 5); of a task that was measured "
        "again, the newest score counts. p is two-sided, from all orders of up to 8 "
        "encoders and from Student's t beyond, and corrected for the number of cells "
        f"({correction})."
    )


def _describe_transfer(params: Any, rows: Sequence[Measurement]) -> str:
    heads = {"logistic": "Logistic regression", "mlp": "A perceptron"}
    head = heads.get(params.head, f"A head of the kind {params.head}")
    source = params.train or f"the trained classifier {params.classifier}"
    return (
        f"{head} on frozen vectors was trained in one language ({params.language}; "
        f"{source}) and tested on {len(params.tests)} sets, without other labels. "
        "Intervals are 95 % bootstrap intervals over the test rows."
    )


def _describe_mining(params: Any, rows: Sequence[Measurement]) -> str:
    text = (
        f"Sentences of {params.source} and of {params.target or params.source} were "
        "paired by their vectors. A pair's score sets its cosine against the mean "
        f"cosine of both sentences with their {params.k} nearest neighbours on the "
        f"other side: the {params.margin} margin (Artetxe and Schwenk 2019, section "
        f"3.2). {RETRIEVAL_SENTENCES[params.retrieval]}"
    )
    if params.threshold is not None:
        text += f" Pairs below {params.threshold:g} were left out."
    if params.filters:
        text += f" Filters: {', '.join(params.filters)}."
    return text


def _describe_map(params: Any, rows: Sequence[Measurement]) -> str:
    ways = {
        "pca": "are its first two principal components",
        "umap": f"keep near each other what is among the {params.n_neighbours} nearest "
        "neighbours by cosine (UMAP, McInnes et al. 2018)",
        "tsne": "keep near each other what are neighbours by cosine (t-SNE, van der "
        f"Maaten and Hinton 2008, perplexity {params.n_neighbours})",
    }
    return (
        f"The two coordinates of each sentence vector {ways[params.method]}; seed "
        f"{params.seed}. Distances on a map say little, neighbourhoods more. Clusters "
        "are of the vectors, not of the map (spherical k-means, Dhillon and Modha "
        "2001); the words that mark one have the highest log-odds ratio against the "
        "others, with an informative prior (Monroe et al. 2008)."
    )


def _describe_training(params: Any, rows: Sequence[Measurement]) -> str:
    return (
        f"The encoder {params.name} ({params.architecture}) was trained by "
        f"{', '.join(params.objectives)} on aligned sentences; the curves show what "
        "was measured on the way."
    )


PARAGRAPHS: dict[str, Paragraph] = {
    "probe": _describe_probe,
    "evaluate-retrieval": _describe_retrieval,
    "evaluate-sts": _describe_sts,
    "evaluate-similarity-of-spaces": _describe_spaces,
    "compare-encoders": _describe_encoders,
    "evaluate-downstream": _describe_downstream,
    "correlate-measurements": _describe_correlations,
    "evaluate-transfer": _describe_transfer,
    "mine-pairs": _describe_mining,
    "project-map": _describe_map,
    "train-encoder": _describe_training,
}
