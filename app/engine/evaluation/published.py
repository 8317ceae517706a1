"""What systems of the literature reached on the tasks of SentEval: a table.

Every row of `published.tsv` names its source: A. Conneau 2019, "Learning distributed
representations of sentences using neural networks" and its table; Chidambaram et al.
2019, "Learning cross-lingual sentence representations via a multi-task dual-encoder
model"; Vázquez et al. 2020, "A systematic study of inner-attention-based sentence
representations in multilingual neural machine translation". Scores are 0…1.
"""

from app.paths import resource_dir

FILE = "published.tsv"
ALIASES = {"sst": "sst2", "sstb": "sst2", "sstbinary": "sst2", "sstf": "sst5"}
ALIASES |= {"sstfine": "sst5", "stsbenchmark": "stsb"}


def read_published() -> dict[tuple[str, str], dict[str, float]]:
    """Give score by system (with its source), by the key of the task and metric."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    lines = (resource_dir() / FILE).read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:
        task, metric, score, system, source = line.split("\t")
        scores = found.setdefault((task_key(task), metric), {})
        scores[f"{system} ({source})"] = float(score)
    return found


def task_key(name: str) -> str:
    """Give what names of one task share: SST-2, sst2 and SST are one."""
    plain = "".join(letter for letter in name.casefold() if letter.isalnum())
    return ALIASES.get(plain, plain)
