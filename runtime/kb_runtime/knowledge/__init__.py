"""Open knowledge bases: one artifact, or several as one, and what is read of them and said about them.

`interface` says what all of them can be asked, `artifact` opens one.

Imports `search`, `store` and `text`.
"""
