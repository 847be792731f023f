"""Clients that never pause while what they ask is published again and again."""
