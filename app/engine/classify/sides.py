"""What is classified: a corpus, or two of pairs, as the user names them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from app.engine.classify.classifier import Classifier
from app.engine.classify.features import n_texts
from app.engine.store.find import find_corpora, find_corpus
from app.engine.store.rows import CorpusRow
from app.errors import UserError
from app.params.classify import PAIR_SIGN

if TYPE_CHECKING:
    from app.engine.project import Project


class Sides(NamedTuple):
    """The corpora that the texts of a row are of: one, or two of equal length."""

    corpora: tuple[CorpusRow, ...]

    @property
    def name(self) -> str:
        """Name them."""
        return PAIR_SIGN.join(corpus.name for corpus in self.corpora)

    @property
    def n_rows(self) -> int:
        """Count the rows."""
        return self.corpora[0].n_sentences


def find_sides(
    project: "Project", classifier: Classifier, names: Sequence[str]
) -> list[Sides]:
    """Find corpora, or twos of pairs; what is named twice is found once.

    Raises:
        UserError: there is none, or the classifier takes another number of texts.
    """
    found = [one for name in names for one in _find(project, classifier, name)]
    return list({tuple(c.id for c in one.corpora): one for one in found}.values())


def _find(project: "Project", classifier: Classifier, name: str) -> list[Sides]:
    """Find a corpus, those of a sub-corpus, or two of pairs.

    Raises:
        UserError: there is none, or the classifier takes another number of texts.
    """
    n = n_texts(classifier.config.features)
    if n == 1:
        return [Sides((corpus,)) for corpus in find_corpora(project.store, [name])]
    corpora = tuple(find_corpus(project.store, part) for part in name.split(PAIR_SIGN))
    if len(corpora) != n:
        raise UserError(
            f"The classifier {classifier.config.name} is for pairs of texts: name two "
            f"corpora that were imported together, A{PAIR_SIGN}B, instead of {name}."
        )
    if len({corpus.n_sentences for corpus in corpora}) > 1:
        sizes = " and ".join(f"{corpus.n_sentences:,}" for corpus in corpora)
        raise UserError(
            f"{name} have {sizes} sentences, but pairs are two corpora that were "
            "imported together, row by row."
        )
    return [Sides(corpora)]
