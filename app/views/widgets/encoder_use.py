"""Put an encoder to use."""

from app.params.vectors import Encode
from app.protocol.edits.encoders import ChooseEncoder
from app.views.client.state import AppState


def use_encoder(state: AppState, name: str) -> None:
    """Use an encoder for search and encoding."""
    state.edit(ChooseEncoder(name))


def encode_with(state: AppState, name: str) -> None:
    """Use an encoder, and encode every corpus with it."""
    project = state.project
    if project is not None and project.corpora:
        use_encoder(state, name)
        corpora = tuple(str(row.id) for row in project.corpora)
        state.run(Encode(corpora=corpora, encoder=name))
