"""What can be done in the review: actions with keys, and when they apply."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction

from app.views.widgets.controls import add_action

if TYPE_CHECKING:
    from app.views.review_judging import ReviewJudging
    from app.views.review_packages import PackageDialogs
    from app.views.review_view import ReviewView

# They change a pair; the others only look, or are about the whole set.
_ON_PAIR = "accept reject skip flag edit swap swap_source note tags take_back"
ON_PAIR = frozenset([*_ON_PAIR.split(), *(f"take_{number}" for number in (1, 2, 3, 4))])
ON_MINING = frozenset(
    ["judge_range", "hand_over", "hand_back", "reload", "show_conflicts"]
)
WRITING = ON_PAIR | {"judge_range", "hand_over", "take_package", "merge_package"}


def make_actions(
    view: "ReviewView", judging: "ReviewJudging", packages: "PackageDialogs"
) -> dict[str, QAction]:
    """Make the view's actions, by name: each calls the method of its name."""
    makers = (
        (judging, _judging()),
        (view, _moving()),
        (packages, _packages()),
        (view, _others()),
    )
    return {
        name: add_action(view, text, getattr(owner, name), keys=keys, hint=hint)
        for owner, actions in makers
        for name, text, keys, hint in actions
    }


def refresh_actions(
    todo: dict[str, QAction], *, can_write: bool, has_pair: bool, has_mining: bool
) -> None:
    """Enable what can be done now."""
    for name, action in todo.items():
        is_able = (can_write or name not in WRITING) and (
            (has_pair or name not in ON_PAIR) and (has_mining or name not in ON_MINING)
        )
        if name != "send_again" and action.isEnabled() != is_able:
            action.setEnabled(is_able)


def list_keys(todo: dict[str, QAction]) -> list[tuple[QAction, str]]:
    """Give the actions whose keys stand below a pair, with short words."""
    return [
        (todo["accept"], _tr("accept")),
        (todo["reject"], _tr("reject")),
        (todo["skip"], _tr("skip")),
        (todo["flag"], _tr("flag")),
        (todo["edit"], _tr("edit")),
        (todo["swap"], _tr("runner-up")),
        (todo["note"], _tr("note")),
        (todo["tags"], _tr("tags")),
        (todo["next_pair"], _tr("next")),
        (todo["previous_pair"], _tr("previous")),
    ]


def _judging() -> list[tuple[str, str, str, str]]:
    return [
        ("accept", _tr("Accept the pair"), "A", _tr("It is a translation: go on.")),
        ("reject", _tr("Reject the pair"), "R", _tr("It is none: go on.")),
        ("skip", _tr("Skip the pair"), "Space", _tr("Nobody can tell: go on.")),
        ("flag", _tr("Flag the pair"), "F", _tr("Look at it again later: go on.")),
        (
            "edit",
            _tr("Edit both texts"),
            "E",
            _tr("Write the texts anew for this pair; the corpora stay as they are."),
        ),
        (
            "swap",
            _tr("Swap in the runner-up"),
            "X",
            _tr("Put the second-best target in the place of the first, or back."),
        ),
        (
            "swap_source",
            _tr("Swap in the target's other source"),
            "Shift+X",
            _tr("Put the target's second-best source in the place of the first."),
        ),
        ("note", _tr("Write a note on the pair"), "N", _tr("Add a note to the pair.")),
        ("tags", _tr("Tag the pair"), "T", _tr("Give the pair tags, or take them.")),
        (
            "take_back",
            _tr("Take the verdict back"),
            "Backspace",
            _tr("The pair counts as not judged again."),
        ),
        (
            "judge_range",
            _tr("Judge all pairs of a range…"),
            "Ctrl+B",
            _tr("Accept or reject all pairs above a score at once."),
        ),
        *(
            (
                f"take_{number}",
                _tr("Let annotator {n}'s judgement hold").format(n=number),
                str(number),
                _tr("Settle a conflict by taking what this annotator said."),
            )
            for number in (1, 2, 3, 4)
        ),
    ]


def _moving() -> list[tuple[str, str, str, str]]:
    return [
        ("next_pair", _tr("Next pair"), "J", _tr("Go on without judging.")),
        ("previous_pair", _tr("Previous pair"), "K", _tr("Go back by one pair.")),
        ("first_pair", _tr("First pair"), "Home", _tr("Go to the queue's beginning.")),
        (
            "reload",
            _tr("Read the queue again"),
            "F5",
            _tr("Take new pairs and orders."),
        ),
        (
            "find_pairs",
            _tr("Find in the pairs"),
            "Ctrl+F",
            _tr("Only pairs with a text on either side."),
        ),
        (
            "show_conflicts",
            _tr("Show conflicts of annotators"),
            "",
            _tr("Make a queue of the pairs that annotators do not agree on."),
        ),
    ]


def _packages() -> list[tuple[str, str, str, str]]:
    return [
        (
            "hand_over",
            _tr("Hand pairs to another annotator…"),
            "",
            _tr("Write a package of pairs that somebody else judges."),
        ),
        (
            "take_package",
            _tr("Open a package to judge…"),
            "",
            _tr("Take pairs that somebody handed over, to judge them here."),
        ),
        (
            "hand_back",
            _tr("Hand the judgements back…"),
            "",
            _tr("Write the judgements on pairs that somebody handed over."),
        ),
        (
            "merge_package",
            _tr("Merge a judged package…"),
            "",
            _tr("Take in what another annotator judged."),
        ),
    ]


def _others() -> list[tuple[str, str, str, str]]:
    return [
        (
            "search_source",
            _tr("Find nearest sentences of the source"),
            "",
            _tr("Search for what is nearest to the source sentence."),
        ),
        (
            "cite",
            _tr("Copy the pair with its sources"),
            "Ctrl+C",
            _tr("Copy both texts as imported, each with where it stands."),
        ),
        ("mine", _tr("Mine pairs…"), "", _tr("Show where pairs are mined.")),
        (
            "send_again",
            _tr("Send unsaved judgements again"),
            "",
            _tr("Try to save what is not saved yet."),
        ),
    ]


def _tr(text: str) -> str:
    return QCoreApplication.translate("review", text)
