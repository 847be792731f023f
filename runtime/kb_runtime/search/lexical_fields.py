"""The fields of the lexical index, which the compiler fills and the runtime searches."""

META = "meta.json"

# Fields that hold prose terms, and fields that hold name terms (see `analysis`).
PROSE_FIELDS = ("title", "breadcrumb", "body", "tags")
NAME_FIELDS = ("identifiers", "signature", "path")
# Fields with positions, where a quoted phrase is looked for.
PHRASE_FIELDS = ("title", "breadcrumb", "body")
OPERATORS = "operators"  # punctuation that stands for itself
WORDS = "words"  # the vocabulary: unstemmed words, once for each chunk, for typos and completions
FILTERS = "filters"  # `scope:<ordinal>`, `type:<type>`, `language:<language>`, and facets
ROW = "row"  # fast field: the row of the chunk in every section
