"""Two programs measured in turns, so that both wait for the same machine."""
