"""Rows of measurements by evaluations, read by both processes.

A run of `probe`, `evaluate-retrieval`, `evaluate-tatoeba`, `evaluate-sts`,
`evaluate-similarity-of-spaces`, `evaluate-downstream`, `correlate-measurements`,
`compare-encoders` or `train-grid` stores its rows in the table `measurement`; the view,
the report and the exports read them from there. Rates are 0…1; intervals are 95 %
intervals.
"""

from collections.abc import Sequence
from itertools import chain, groupby

import msgspec

from app.languages import language_name, parse_language

Interval = tuple[float, float]


class _Measurement(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", omit_defaults=True
):
    """Base of every row."""

    encoder: str


class Probed(_Measurement, frozen=True, kw_only=True, tag="probe"):
    """The accuracy of a probe for one property in the vectors (Conneau et al. 2018).

    Attributes:
        data: name of the file; `task` and `language` are parsed from it if possible.
        classifier: logistic or mlp.
        n: number of test rows; n_train, n_classes: rows and classes of the training
            set.
        n_classes_published: number of classes of the published task; None: not
            published.
        accuracy: mean over the seeds; accuracies: accuracy for each seed.
        accuracy_interval: bootstrap over the test rows.
        control_accuracy: accuracy with a random class for each word type or row (Hewitt
            and Liang 2019); None: not measured.
        selectivity: accuracy minus control_accuracy.
        baselines: accuracy of "majority", "length", "tfidf", "bigrams",
            "random_vectors", "word_vectors" (their mean), "idf_vectors", "sif_vectors",
            "sif_less_component" and "untrained", and the published "human" bound, as
            far as they were requested and exist.
        settings: settings chosen by grid search.
        note: sentence on reservations about the figure; may be empty.
    """

    data: str
    task: str
    language: str
    classifier: str
    n: int
    n_train: int
    n_classes: int
    n_classes_published: int | None = None
    accuracy: float
    accuracy_interval: Interval
    accuracies: tuple[float, ...] = ()
    control_accuracy: float | None = None
    selectivity: float | None = None
    baselines: dict[str, float] = {}
    settings: dict[str, float] = {}
    note: str = ""


class Retrieved(_Measurement, frozen=True, kw_only=True, tag="retrieval"):
    """The error of retrieving translations as nearest targets.

    Attributes:
        source, target: names of the columns or files.
        data: name of the set; empty: identified by source and target.
        n: number of pairs; n_pool: number of searched targets.
        error: share of wrong nearest neighbours, by cosine; error_margin: by the ratio
            margin (Artetxe and Schwenk 2019).
        precision_at: share of translations among the first k, by k as text.
        error_interval, error_margin_interval, precision_at_interval: Wilson intervals.
        note: whether the encoder was trained on these texts; empty: unknown.
    """

    source: str
    target: str
    n: int
    n_pool: int
    error: float
    error_interval: Interval
    error_margin: float | None = None
    error_margin_interval: Interval | None = None
    precision_at: dict[str, float] = {}
    precision_at_interval: dict[str, Interval] = {}
    data: str = ""
    note: str = ""


class Correlated(_Measurement, frozen=True, kw_only=True, tag="sts"):
    """The correlation of a similarity of vectors with human scores.

    Attributes:
        first, second: languages (names of columns) of the two texts.
        similarity: cosine, or arccos: −arccos of it (Yang et al. 2019). Both, with
            "centred " before: without common directions (see `centre_languages`).
        pearson_interval, spearman_interval: bootstrap intervals over the pairs; None: a
            mean of sets.
        published: name of a system in the literature → its Pearson's r here.
        n_sets: number of sets in this mean, by cosine; None: a single set.
        note: see `Retrieved`.
    """

    first: str
    second: str
    similarity: str
    n: int
    pearson: float
    pearson_interval: Interval | None = None
    spearman: float
    spearman_interval: Interval | None = None
    published: dict[str, float] = {}
    n_sets: int | None = None
    note: str = ""


class SpaceMeasured(_Measurement, frozen=True, kw_only=True, tag="space"):
    """A figure for a space of vectors, or for two languages in it.

    Attributes:
        measure: eigen_similarity, isotropy, isoscore, mean_cosine, hubness, alignment,
            uniformity, distance_of_translations, distance_of_random_pairs,
            kept_neighbours, kept_pairs.
        first, second: languages; second is empty for a figure of one language.
        value_interval: interval by bootstrap or by the measure's own method; None: too
            few rows.
        note: see `Retrieved`.
    """

    measure: str
    first: str
    second: str = ""
    n: int
    value: float
    value_interval: Interval | None = None
    note: str = ""


class Transferred(_Measurement, frozen=True, kw_only=True, tag="downstream"):
    """The score of a downstream task as in SentEval (Conneau and Kiela 2018).

    Attributes:
        protocol: nested (10-fold), train-test, train-dev-test, relatedness.
        score: score by `metric` (accuracy, f1, pearson, spearman).
        n: number of test rows; n_development: rows of the development score.
        development: development score, used in macro and micro averages.
        mean_squared_error: error of predicted pair scores, in squared units; None for
            classes.
        classifier: logistic, or an MLP with its hidden units; empty for scores, or if
            not recorded.
        published: name of a system in the literature → its score here.
        baselines: score of averaged word vectors: "word_vectors" (their mean),
            "idf_vectors", "sif_vectors" and "sif_less_component"; empty: not measured.
    """

    data: str
    protocol: str
    metric: str
    n: int
    score: float
    score_interval: Interval
    development: float
    n_development: int
    majority: float | None = None
    mean_squared_error: float | None = None
    classifier: str = ""
    published: dict[str, float] = {}
    baselines: dict[str, float] = {}


class ScoresCorrelated(_Measurement, frozen=True, kw_only=True, tag="correlation"):
    """Correlation of a probing task with another score (Conneau et al. 2018).

    Attributes:
        encoder: number of encoders measured on both sides, in words.
        probing, downstream: names of the two scores.
        n: number of encoders with both scores.
        spearman: ρ, -1…1; None for too few encoders or a constant score.
        p: two-sided p-value, exact up to 8 encoders.
        p_corrected: p-value corrected for the `n_tests` cells with a p-value.
        correction: holm or benjamini-hochberg.
    """

    probing: str
    downstream: str
    n: int
    spearman: float | None
    p: float | None
    p_corrected: float | None
    correction: str
    n_tests: int


class GridMeasured(_Measurement, frozen=True, kw_only=True, tag="grid"):
    """A training of a grid, and the scores of its encoder.

    Attributes:
        varied: title of each varied setting → its value, as text.
        scores: scores by name with unit; per cents and correlations × 100.
        scores_interval: 95 % intervals of scores, if available.
        n_steps: number of trained steps; 0: not trained yet.
        kept_step: step of the stored and measured weights.
        n_parameters: number of trained weights.
        seconds: duration of the training.
        is_done: whether all requested scores were measured.
        note: sentences on reservations about the figures; may be empty.
    """

    varied: dict[str, str]
    scores: dict[str, float] = {}
    scores_interval: dict[str, Interval] = {}
    n_steps: int = 0
    kept_step: int | None = None
    n_parameters: int = 0
    seconds: float = 0.0
    is_done: bool = False
    note: str = ""


class Translated(_Measurement, frozen=True, kw_only=True, tag="translation"):
    """The quality of a translation model in one direction.

    Attributes:
        direction: trained or zero-shot.
        n: number of sentences.
        bleu, chrf: corpus scores of sacreBLEU, 0…1.
        bleu_interval, chrf_interval: bootstrap intervals over the sentences; None in
            results of older versions.
        by_length: BLEU by number of source words, such as 11–20, in this order.
        note: see `Retrieved`.
    """

    source: str
    target: str
    direction: str
    n: int
    bleu: float
    bleu_interval: Interval
    chrf: float
    chrf_interval: Interval | None = None
    by_length: dict[str, float] = {}
    note: str = ""


Measurement = (
    Probed
    | Retrieved
    | Correlated
    | SpaceMeasured
    | Transferred
    | ScoresCorrelated
    | GridMeasured
    | Translated
)
LANGUAGE_FIELDS: dict[type[Measurement], tuple[str, ...]] = {
    Probed: ("language",),
    Retrieved: ("source", "target"),
    Correlated: ("first", "second"),
    SpaceMeasured: ("first", "second"),
    Translated: ("source", "target"),
}


def name_set_languages(rows: Sequence[Measurement]) -> list[Measurement]:
    """Return rows with language names instead of codes.

    Texts of textual similarity and of spaces are columns, files or corpora: their names
    are kept unless all are language codes.
    """
    return [
        *chain.from_iterable(
            _name_languages(list(same), kind) for kind, same in groupby(rows, type)
        )
    ]


def _name_languages(
    rows: Sequence[Measurement], kind: type[Measurement]
) -> Sequence[Measurement]:
    fields = LANGUAGE_FIELDS.get(kind, ())
    names = {getattr(row, field) for row in rows for field in fields} - {""}
    are_codes = all(name[:1].islower() and parse_language(name).known for name in names)
    if kind in (Correlated, SpaceMeasured) and not are_codes:
        return rows
    return [
        msgspec.structs.replace(
            row, **{field: language_name(getattr(row, field)) for field in fields}
        )
        if not isinstance(row, Retrieved) or row.data
        else row
        for row in rows
    ]
