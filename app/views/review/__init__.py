"""Review: judge mined pairs, alone or with other annotators."""
