"""Keeps the index of a source tree in a workspace up to date while the tree is worked on."""
