"""Tables of mined pairs: sets, scores, texts, judgements, packages."""
