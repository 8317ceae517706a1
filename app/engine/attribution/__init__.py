"""Attribution of sentence vectors to tokens."""
