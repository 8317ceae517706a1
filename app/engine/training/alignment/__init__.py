"""Train an encoder of another language to match a frozen English encoder."""
