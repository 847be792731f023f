"""How good the ranking is on labelled collections, and the bars for it."""
