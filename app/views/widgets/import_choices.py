"""What can be chosen of how a table is written: words, and the key of each."""

FORMATS = [
    ("auto", "auto"),
    ("plain text", "text"),
    ("TSV", "tsv"),
    ("CSV", "csv"),
    ("Excel (.xlsx)", "xlsx"),
    ("Moses pair", "moses"),
    ("TMX", "tmx"),
    ("XLIFF", "xliff"),
    ("PO (gettext)", "po"),
    ("CoNLL-U", "conllu"),
    ("TEI", "tei"),
    ("JSON lines", "jsonl"),
    ("Parquet", "parquet"),
]
DELIMITERS = [
    ("found", ""),
    ("tab", "tab"),
    ("comma ,", ","),
    ("semicolon ;", ";"),
    ("bar |", "|"),
]
QUOTINGS = [("found", "auto"), ("double quotes", "double"), ("none", "none")]
HEADERS = [("found", "auto"), ("first row", "yes"), ("none", "no")]
ENCODINGS = ("utf-8", "utf-16", "cp1252", "iso8859-15", "cp1251", "koi8-r", "cp1256",
             "gb18030", "big5", "shift_jis", "euc_kr")  # fmt: skip
SAYS_ENCODING = ("tmx", "xliff", "tei", "xlsx", "parquet")  # formats
