"""A look inside a sentence: its tokens, and what each of them does."""
