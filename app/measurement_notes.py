"""What runs are called, and what a sentence under a picture says."""

KINDS = {
    "probe": "Probing",
    "evaluate-retrieval": "Retrieval",
    "evaluate-sts": "Similarity of texts",
    "evaluate-similarity-of-spaces": "Spaces",
    "evaluate-downstream": "Downstream tasks",
    "correlate-measurements": "Probing against downstream scores",
    "compare-encoders": "Two encoders",
    "evaluate-transfer": "Transfer between languages",
    "mine-pairs": "Mining",
    "project-map": "Map",
    "train-encoder": "Training",
}

MEASURES = {
    "eigen_similarity": "How far the neighbour graphs of translations differ, 0 and "
    "up; the lower, the more alike (Søgaard et al. 2018).",
    "isotropy": "1 where the vectors point alike in all directions, 0 where they do "
    "not (Mu and Viswanath 2018).",
    "isoscore": "Share of the dimensions that are used alike (Rudman et al. 2022).",
    "mean_cosine": "Mean cosine of two different sentences; 0 in a space that is alike "
    "in all directions (Ethayarajh 2019).",
    "hubness": "Skewness of how often each sentence is a neighbour; 0 where none is a "
    "hub (Radovanović et al. 2010).",
    "alignment": "Mean squared distance of translations; the lower, the better (Wang "
    "and Isola 2020).",
    "uniformity": "How evenly the vectors lie on the sphere; the lower, the better "
    "(Wang and Isola 2020).",
    "distance_of_translations": "To be seen beside the distance of random pairs.",
    "kept_neighbours": "Share of the nearest neighbours by the first encoder that are "
    "among the nearest by the second; by the language of the sentence asked.",
    "kept_pairs": "Share of the pairs that are the nearest of each other by the first "
    "encoder and are so by the second; of languages that are not linked.",
    "distance_of_random_pairs": "Of sentences with the translation of another one.",
}
RETRIEVAL = (
    "Share of sentences whose nearest neighbour is not their translation: the lower, "
    "the better."
)
PUBLISHED = (
    "Of the systems of the literature that did most of these tasks at most six are "
    "drawn, from the lowest to the highest; the table of figures has all."
)
PROBES = "Accuracy on the test rows; what it is worth, the signs show."
CORRELATED = (
    "Spearman’s ρ over {encoders}; * where p is below 0.05 after correction for {n} "
    "tests ({correction})."
)
CORRECTIONS = {"holm": "Holm 1979", "benjamini-hochberg": "Benjamini and Hochberg 1995"}


def kind_of(task: str) -> str:
    """Say what a task measures, or does."""
    return KINDS.get(task, task.replace("-", " ").capitalize())
