"""Translation models whose bridge matrix is a language-neutral sentence vector."""
