"""Words: where they stand, how often, beside which others, and how they translate."""
