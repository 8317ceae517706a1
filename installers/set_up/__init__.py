"""Implementation of `start.py`: standard library only, as nothing is installed yet."""


class SetUpError(Exception):
    """An error that the user can fix: a sentence on what is missing and what to do."""


def say(text: str) -> None:
    """Show the user the current step."""
    print(f"isogloss: {text}", flush=True)
