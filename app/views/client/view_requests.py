"""Requests from one feature to show another, which it may not import."""

from PySide6.QtCore import QObject, Signal


class ViewRequests(QObject):
    """Signals that a feature emits and the main window connects to another feature."""

    search_requested = Signal(object)  # sentence id: show its nearest sentences
    example_requested = Signal()  # search from a sentence if there is no query yet
    neighbours_requested = Signal(object)  # TextLookup: search by meaning
    concordance_requested = Signal(object)  # TextLookup: show its occurrences
    place_requested = Signal(object)  # sentence id: show the sentence in its corpus
    reading_requested = Signal(object)  # ReadingRequest; None: read the selection
    attribution_requested = Signal()  # compare the two sentences of the shown view
    map_requested = Signal(object)  # sentence ids: show the sentences on a map
    mining_requested = Signal(object)  # id of a pair set, or None: show it
    scoring_requested = Signal()  # find wrong pairs in a parallel text
    alignment_requested = Signal()  # show Align
    review_requested = Signal(
        object, object
    )  # ids of pair set and pair (or None): judge
    queue_requested = Signal(object, object)  # QueueQuery, id of the pair to begin with
    evaluation_requested = Signal(str)  # name of an encoder to evaluate
    translation_requested = Signal(str)  # name of a translation model to try
    notes_requested = Signal()  # show the notes of the project
    import_requested = Signal()  # choose files to import
    packages_chosen = Signal(list)  # review packages among the files to import
    subcorpus_requested = Signal()  # define a new sub-corpus
    documentation_requested = Signal(
        str, object
    )  # page, dialog in front of which it opens
    settings_requested = Signal(str)  # show the settings at this field
