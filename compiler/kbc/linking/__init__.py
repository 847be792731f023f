"""Publication: staging, sealing, self-checks, the atomic rename, locks, retention of versions.

Imports only the runtime, whose reader opens what was written.
"""
