"""What systems of the literature reached on the tasks of SentEval and STS: a table.

Every row of `published.tsv` names its source: A. Conneau 2019, "Learning distributed
representations of sentences using neural networks" and its table; Chidambaram et al.
2019, "Learning cross-lingual sentence representations via a multi-task dual-encoder
model"; Vázquez et al. 2020, "A systematic study of inner-attention-based sentence
representations in multilingual neural machine translation". Scores are 0…1.

Chidambaram et al. correlate −arccos of untrained vectors with the scores of STS; the
figure that they quote of InferSent is one of a trained regression (Conneau 2019 has
the same), so it is left out there. Their German, Spanish and French STS-B is another
translation than any that is measured here.
"""

from app.arrays import DoubleArray
from app.languages import primary_language
from app.paths import resource_dir

FILE = "published.tsv"
ALIASES = {"sst": "sst2", "sstb": "sst2", "sstbinary": "sst2", "sstf": "sst5"}
ALIASES |= {"sstfine": "sst5", "stsbenchmark": "stsb"}
STS_METRIC = "pearson of −arccos"
STS_SETS = (  # by the number of pairs and the sum of their scores
    ("STS-B test", 1_379, 3_596.317),
    ("STS-B dev", 1_500, 3_545.861),
)
ROUNDING = 1.0  # of that sum: some copies have scores of fewer digits
STS17_N = 250


def read_published() -> dict[tuple[str, str], dict[str, float]]:
    """Return score by system (with its source), by the key of the task and metric."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    lines = (resource_dir() / FILE).read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:
        task, metric, score, system, source = line.split("\t")
        scores = found.setdefault((task_key(task), metric), {})
        scores[f"{system} ({source})"] = float(score)
    return found


def task_key(name: str) -> str:
    """Return the common key of a task's names: SST-2, sst2 and SST are the same."""
    plain = "".join(letter for letter in name.casefold() if letter.isalnum())
    return ALIASES.get(plain, plain)


def sts_key(scores: DoubleArray, file_name: str, language: str) -> str:
    """Return the key of a known set of scored pairs; empty: it is none.

    Args:
        scores: float64 (n,), of people; parts of STS-B are known by them.
        file_name: names STS17, whose scores are not known here.
        language: of both texts, as the user wrote it.
    """
    n, total = len(scores), float(scores.sum())
    for name, n_known, known in STS_SETS:
        if n == n_known and abs(total - known) < ROUNDING:
            return task_key(name + primary_language(language))
    if n == STS17_N and "sts17" in task_key(file_name):
        return task_key("STS17" + primary_language(language))
    return ""
