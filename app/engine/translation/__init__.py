"""Train multilingual translation models, translate, and score translations."""
