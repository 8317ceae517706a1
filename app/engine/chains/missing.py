"""What a step of a chain would need of corpora and does not find: it can be made."""

from collections.abc import Sequence

from app.engine.store.rows import CorpusRow
from app.errors import UserError


class NotIndexedError(UserError):
    """The words of corpora are not indexed.

    Attributes:
        corpora: their ids.
    """

    def __init__(self, corpora: Sequence[CorpusRow]):
        names = ", ".join(corpus.name for corpus in corpora)
        super().__init__(f"The words of {names} are not indexed yet.")
        self.corpora = tuple(corpus.id for corpus in corpora)


class NotEncodedError(UserError):
    """Corpora have no vectors by an encoder.

    Attributes:
        corpora: their ids.
    """

    def __init__(self, corpora: Sequence[CorpusRow], encoder: str):
        names = ", ".join(corpus.name for corpus in corpora)
        are = "is" if len(corpora) == 1 else "are"
        super().__init__(f"{names} {are} not encoded by {encoder} yet: encode first.")
        self.corpora = tuple(corpus.id for corpus in corpora)
