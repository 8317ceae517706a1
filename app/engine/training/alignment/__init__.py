"""Training of an encoder for another language to match a frozen English encoder."""
