"""Published results of systems on the tasks of SentEval and STS.

Every row of `published.tsv` contains its source: A. Conneau 2019, "Learning distributed
representations of sentences using neural networks" and its table; Chidambaram et al.
2019, "Learning cross-lingual sentence representations via a multi-task dual-encoder
model"; Vázquez et al. 2020, "A systematic study of inner-attention-based sentence
representations in multilingual neural machine translation". Scores are 0…1.

Chidambaram et al. correlate −arccos of untrained vectors with the scores of STS; the
figure that they quote for InferSent is from a trained regression (as in Conneau 2019),
so it is omitted. Their German, Spanish and French STS-B are other translations than
those measured here.
"""

from app.arrays import DoubleArray
from app.languages import primary_language
from app.paths import resource_dir

FILE = "published.tsv"
ALIASES = {"sst": "sst2", "sstb": "sst2", "sstbinary": "sst2", "sstf": "sst5"}
ALIASES |= {"sstfine": "sst5", "stsbenchmark": "stsb"}
STS_METRIC = "pearson of −arccos"
STS_SETS = (  # identified by number of pairs and sum of scores
    ("STS-B test", 1_379, 3_596.317),
    ("STS-B dev", 1_500, 3_545.861),
)
ROUNDING = 1.0  # tolerance of the sum, since some copies have fewer digits
STS17_N = 250


def read_published() -> dict[tuple[str, str], dict[str, float]]:
    """Return scores by system (with its source), for each task and metric."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    lines = (resource_dir() / FILE).read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:
        task, metric, score, system, source = line.split("\t")
        scores = found.setdefault((task_key(task), metric), {})
        scores[f"{system} ({source})"] = float(score)
    return found


def task_key(name: str) -> str:
    """Return the same key for all names of a task, such as SST-2, sst2 and SST."""
    plain = "".join(letter for letter in name.casefold() if letter.isalnum())
    return ALIASES.get(plain, plain)


def sts_key(scores: DoubleArray, file_name: str, language: str) -> str:
    """Return the key of a known set of scored pairs; empty: unknown set.

    Args:
        scores: float64 (n,), human scores, which identify parts of STS-B.
        file_name: identifies STS17, whose scores are not known here.
        language: language of both texts, as entered by the user.
    """
    n, total = len(scores), float(scores.sum())
    for name, n_known, known in STS_SETS:
        if n == n_known and abs(total - known) < ROUNDING:
            return task_key(name + primary_language(language))
    if n == STS17_N and "sts17" in task_key(file_name):
        return task_key("STS17" + primary_language(language))
    return ""
