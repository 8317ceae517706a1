"""Repeat the comparisons with other programs that are installed.

    python -m tests.peers [--schemas FOLDER] [--model FOLDER]

Each comparison works on the sample texts. A peer that is not installed is skipped.
`--schemas` names a folder with `tmx14.dtd`, `xliff-core-1.2-strict.xsd`,
`xliff_core_2.0.xsd` or `tei_all.rng`; `--model` a folder of sentence-transformers.
Prints a table; returns 1 if a comparison differs.
"""

import argparse
import importlib
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.tasks.encode import encode
from app.engine.tasks.import_corpus import import_corpus
from app.params.corpora import ImportCorpus
from app.params.vectors import Encode
from app.paths import resource_dir
from tests.peers import exports, pairs, vectors, words
from tests.peers.agreement import Agreement, NotInstalledError, Peers

LANGUAGES = ("en", "de", "fr")


class Comparison(NamedTuple):
    """One line of the table: what is compared, with what."""

    what: str
    peer: str
    module: str  # that must be importable; empty: our own slow reference
    run: Callable[[Peers], Agreement]


COMPARISONS = (
    Comparison("word counts", "nltk", "nltk", words.compare_counts),
    Comparison("G², log-Dice, t-score", "nltk", "nltk", words.compare_collocates),
    Comparison("keyness", "nltk", "nltk", words.compare_keyness),
    Comparison("correlations of STS", "scipy", "scipy", vectors.compare_correlations),
    Comparison("UMAP", "umap-learn", "umap", vectors.compare_umap),
    Comparison("t-SNE", "openTSNE", "openTSNE", vectors.compare_tsne),
    Comparison(
        "imported encoder",
        "sentence-transformers",
        "sentence_transformers",
        vectors.compare_model,
    ),
    Comparison("mined pairs", "slow reference", "", pairs.compare_mining),
    Comparison("TMX", "translate-toolkit", "translate", exports.compare_tmx),
    Comparison("XLIFF 1.2", "translate-toolkit", "translate", exports.compare_xliff),
    Comparison("TMX, XLIFF, TEI", "schemas", "", exports.validate),
)


def main() -> int:
    """Run all comparisons and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schemas", type=Path)
    parser.add_argument("--model", type=Path)
    options = parser.parse_args()
    n_different = 0
    with tempfile.TemporaryDirectory(prefix="isogloss-peers-") as name:
        folder = Path(name)
        with create_project(folder / "p.isogloss") as project:
            import_samples(project)
            peers = Peers(project, folder, options.schemas, options.model)
            for one in COMPARISONS:
                found = run_comparison(one, peers)
                n_different += found.verdict == "differs"
                print(
                    f"| {one.what} | {one.peer} | {found.verdict} | {found.figures} |",
                    flush=True,
                )
    return 1 if n_different else 0


def import_samples(project: Project) -> None:
    """Import samples of a few languages, and encode them."""
    for language in LANGUAGES:
        file = resource_dir() / "samples" / f"{language}.tsv"
        params = ImportCorpus(
            files=(file,), languages=(language,), columns=("text",), names=(language,)
        )
        import_corpus(project, params, Report())
    encode(project, Encode(corpora=LANGUAGES), Report())


def run_comparison(one: Comparison, peers: Peers) -> Agreement:
    """Run a comparison, or skip it if its peer is not installed."""
    try:
        if one.module:
            importlib.import_module(one.module)
        return one.run(peers)
    except (ImportError, NotInstalledError) as error:
        return Agreement("skipped", f"not installed ({error})")


if __name__ == "__main__":
    sys.exit(main())
