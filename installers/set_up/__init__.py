"""What `start.py` is made of: standard library only, nothing is installed yet."""


class SetUpError(Exception):
    """What the user can mend: one sentence that says what is missing and what to do."""


def say(text: str) -> None:
    """Show the user what is being done."""
    print(f"isogloss: {text}", flush=True)
