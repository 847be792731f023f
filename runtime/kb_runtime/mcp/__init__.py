"""The Model Context Protocol: one dispatch core, and two front ends over it (stdio, HTTP)."""
