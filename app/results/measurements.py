"""What evaluations measure, a row at a time; both sides read it.

A run of `probe`, `evaluate-retrieval`, `evaluate-tatoeba`, `evaluate-sts`,
`evaluate-similarity-of-spaces`, `evaluate-downstream`, `correlate-measurements`,
`compare-encoders` or `train-grid` keeps its rows in the table `measurement`; the view,
the report and the exports read them from there. Rates are 0…1; an interval is the 95 %
one.
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
    """What a classifier finds of one property in the vectors (Conneau et al. 2018).

    Attributes:
        data: name of the file; `task` and `language` as far as it tells them.
        classifier: logistic or mlp.
        n: test rows; n_train, n_classes: of the training rows.
        n_classes_published: of the published task of that name; None: there is none.
        accuracy: mean over the seeds; accuracies: of each.
        accuracy_interval: bootstrap over the test rows.
        control_accuracy: where each word type (or row) got a random class instead
            (Hewitt and Liang 2019); None: not measured.
        selectivity: accuracy less control_accuracy.
        baselines: accuracy of "majority", "length", "tfidf", "bigrams",
            "random_vectors", "word_vectors" (their mean), "idf_vectors",
            "sif_vectors", "sif_less_component" and "untrained", and the published
            "human" bound; those that were not asked for or do not exist are missing.
        settings: what the search over the grid chose.
        note: a sentence on what makes the figure doubtful; empty: nothing.
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
    """How often the nearest target of a source is its translation.

    Attributes:
        source, target: names of the columns or files.
        data: name of the set; empty: source and target name it.
        n: pairs; n_pool: targets that were searched.
        error: share of wrong nearest neighbours, by cosine; error_margin: by the ratio
            margin (Artetxe and Schwenk 2019).
        precision_at: share found among the first k, by k as text.
        error_interval, error_margin_interval, precision_at_interval: Wilson.
        note: whether the encoder was trained on these texts; empty: not known.
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
    """How well a similarity of vectors follows the scores that people gave.

    Attributes:
        first, second: languages (names of columns) of the two texts.
        similarity: cosine, or arccos: −arccos of it (Yang et al. 2019). Both, with
            "centred " before: without common directions (see `centre_languages`).
        pearson_interval, spearman_interval: bootstrap over the pairs; None: a mean of
            sets.
        published: name of a system in the literature → its Pearson's r here.
        n_sets: sets that this is the mean of, by cosine; None: it is one set.
        note: as of `Retrieved`.
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
    """One figure of a space of vectors, or of two languages in it.

    Attributes:
        measure: eigen_similarity, isotropy, isoscore, mean_cosine, hubness, alignment,
            uniformity, distance_of_translations, distance_of_random_pairs,
            kept_neighbours, kept_pairs.
        first, second: languages; second is empty where it is a figure of one.
        value_interval: bootstrap, or what the measure has instead; None: too few rows.
        note: as of `Retrieved`.
    """

    measure: str
    first: str
    second: str = ""
    n: int
    value: float
    value_interval: Interval | None = None
    note: str = ""


class Transferred(_Measurement, frozen=True, kw_only=True, tag="downstream"):
    """One task of the downstream suite in SentEval's manner (Conneau and Kiela 2018).

    Attributes:
        protocol: nested (10-fold), train-test, train-dev-test, relatedness.
        score: what `metric` names (accuracy, f1, pearson, spearman).
        n: rows that were tested; n_development: rows of the development score.
        development: the development score, of which macro and micro averages are made.
        mean_squared_error: of predicted scores of pairs, in squared units of the
            scores; None: of classes.
        classifier: logistic, or an MLP with its hidden units; empty: of scores,
            or not recorded.
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
    """One probing task against one other score, over encoders (Conneau et al. 2018).

    Attributes:
        encoder: how many encoders were measured on both sides, in words.
        probing, downstream: names of the two scores.
        n: encoders that have both.
        spearman: ρ, -1…1; None where they are too few, or one side does not vary.
        p: two-sided, exact up to 8 encoders.
        p_corrected: for all cells that have a p, which are `n_tests`.
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
    """One training of a grid, and what its encoder reached.

    Attributes:
        varied: title of each varied setting → its value, as text.
        scores: by name, with its unit; per cents and correlations × 100.
        scores_interval: 95 % intervals of those that have one.
        n_steps: that were trained; 0: not trained yet.
        kept_step: whose weights were kept and measured.
        n_parameters: weights that were trained.
        seconds: that the training took.
        is_done: all that was asked for is measured.
        note: sentences on what makes the figures doubtful; empty: nothing.
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
    """How well a translation model translates in one direction.

    Attributes:
        direction: trained, or zero-shot.
        n: sentences.
        bleu, chrf: corpus scores of sacreBLEU, 0…1.
        bleu_interval, chrf_interval: bootstrap over the sentences; None: an older
            version measured it.
        by_length: BLEU by words of the source sentence, such as 11–20, in this order.
        note: as of `Retrieved`.
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
    """Return rows with the names of their languages in place of the codes.

    Texts of textual similarity and of spaces are columns, files or corpora: their names
    remain unless all are codes.
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
