"""What clients, registries and agents read beside the wheel: one module for each form."""
