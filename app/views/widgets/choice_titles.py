"""Titles of the choices of params: plain words next to the standard term."""

from functools import cache, partial

from PySide6.QtCore import QCoreApplication

_tr = partial(QCoreApplication.translate, "choice_titles")

_ABBREVIATIONS = (
    *("bpe", "sgd", "mlp", "nli", "laser", "tmx", "tsv", "csv", "xlsx", "tei", "tbx"),
    *("po", "ivf", "sq8", "hnsw", "umap", "bleu"),
)


def choice_title(value: str, field: str = "") -> str:
    """Return how a choice of params is shown: sts is Textual similarity.

    Args:
        field: whose choice it is; the same value can mean different things.
    """
    field = field.removeprefix("transfer_")
    if title := _titles_of_fields().get((field, value)) or _titles().get(value):
        return title
    if value in _ABBREVIATIONS:
        return value.upper()
    words = value.replace("_", " ")
    return f"{words[:1].upper()}{words[1:]}"


@cache
def _titles() -> dict[str, str]:
    return {
        "auto": _tr("Automatic"),
        "lbfgs": _tr("L-BFGS"),
        "knn": _tr("Nearest neighbours"),
        "pca": _tr("Principal components (PCA)"),
        "tsne": _tr("t-SNE"),
        "nn": _tr("Nearest neighbour"),
        "isf": _tr("Inverted softmax"),
        "csls": _tr("Corrected for hubs (CSLS)"),
        "skip-gram": _tr("Skip-gram"),
        "sts": _tr("Textual similarity"),
        "pieces": _tr("Subword pieces"),
        "identical": _tr("Words spelled alike"),
        "numerals": _tr("Numbers"),
        "benjamini-hochberg": _tr("Benjamini–Hochberg (false discovery rate)"),
        "holm": _tr("Holm (family-wise error rate)"),
        "idf": _tr("Inverse document frequency"),
        "sif": _tr("Smooth inverse frequency (SIF)"),
        "bilstm": _tr("BiLSTM"),
        "log-dice": _tr("Log-Dice"),
        "jsonl": _tr("JSON lines"),
        "conllu": _tr("CoNLL-U"),
        "xliff": _tr("XLIFF"),
    }


@cache
def _titles_of_fields() -> dict[tuple[str, str], str]:
    return {
        ("tasks", "SentLen"): _tr("Sentence length (SentLen)"),
        ("tasks", "WC"): _tr("Word content (WC)"),
        ("tasks", "TreeDepth"): _tr("Tree depth (TreeDepth)"),
        ("tasks", "TopConst"): _tr("Top constituents (TopConst)"),
        ("tasks", "BShift"): _tr("Swapped words (BShift)"),
        ("tasks", "SubjNum"): _tr("Number of the subject (SubjNum)"),
        ("tasks", "ObjNum"): _tr("Number of the object (ObjNum)"),
        ("tasks", "SOMO"): _tr("Odd word out (SOMO)"),
        ("tasks", "CoordInv"): _tr("Swapped clauses (CoordInv)"),
        ("retrieval", "max"): _tr("Best of both directions (max)"),
        ("retrieval", "intersection"): _tr("Best in both directions (intersection)"),
        ("retrieval", "forward"): _tr("Best target of each source (forward)"),
        ("retrieval", "backward"): _tr("Best source of each target (backward)"),
        ("retrieval", "nn"): _tr("Cosine (nearest neighbour, NN)"),
        ("retrieval", "isf"): _tr("Inverted softmax (ISF)"),
        ("retrieval", "csls"): _tr("Cosine corrected for hubs (CSLS)"),
        ("margin", "ratio"): _tr("Cosine ÷ mean of the neighbours (ratio)"),
        ("margin", "distance"): _tr("Cosine − mean of the neighbours (distance)"),
        ("margin", "absolute"): _tr("Cosine alone (absolute)"),
        ("kind", "word-vectors"): _tr("Word vectors"),
        ("head", "logistic"): _tr("Logistic regression"),
        ("head", "mlp"): _tr("MLP"),
        ("head", "nli"): _tr("MLP on pairs (NLI)"),
        ("head", "centroid"): _tr("Nearest centroid"),
        ("storage", "int8"): _tr("8-bit integers (int8)"),
        ("storage", "int4"): _tr("4-bit integers (int4)"),
        ("storage", "float16"): _tr("16-bit numbers (float16)"),
        ("storage", "float32"): _tr("32-bit numbers (float32)"),
        ("index", "exact"): _tr("Exact"),
        ("index", "ivf"): _tr("Approximate: clusters (IVF)"),
        ("index", "sq8"): _tr("Approximate: clusters in 8 bits (SQ8)"),
        ("index", "hnsw"): _tr("Approximate: graph (HNSW)"),
        ("duplicates", "once"): _tr("Mine the first only"),
        ("duplicates", "each"): _tr("Mine each of them"),
        ("norm", "pre"): _tr("Before each block (pre)"),
        ("norm", "post"): _tr("After each block (post)"),
        ("similarity", "dot"): _tr("Dot product"),
        ("direction", "source"): _tr("Source retrieves target"),
        ("direction", "target"): _tr("Target retrieves source"),
        ("direction", "both"): _tr("Both directions"),
        ("negatives_pool", "batch"): _tr("For the whole batch"),
        ("negatives_pool", "own"): _tr("For their own pair"),
        ("architecture", "cbow"): _tr("Mean of word vectors (CBOW)"),
        ("loss", "align"): _tr("Match the English vectors"),
        ("loss", "rank"): _tr("Rank translations first"),
        ("system", "bridge"): _tr("Attention bridge"),
        ("system", "attention"): _tr("Attention without a bridge"),
        ("system", "shared"): _tr("Shared encoder and decoder"),
        ("selected_by", "retrieval"): _tr("Retrieval error"),
        ("selected_by", "nli"): _tr("Accuracy of inference (NLI)"),
        ("layer", "pos"): _tr("Part of speech"),
        ("mode", "regex"): _tr("Regular expression"),
        ("order", "score"): _tr("Best scores first"),
        ("order", "value"): _tr("Most informative first"),
        ("which", "all"): _tr("All pairs"),
        ("which", "unjudged"): _tr("Not judged"),
        ("which", "judged"): _tr("Any verdict"),
        ("which", "accept"): _tr("Accepted"),
        ("which", "reject"): _tr("Rejected"),
        ("which", "flag"): _tr("Flagged"),
        ("which", "skip"): _tr("Skipped"),
        ("which", "conflict"): _tr("Conflicts"),
    }
