"""Review: judgements, queues, explanations, thresholds, packages, agreement."""
