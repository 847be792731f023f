"""From an artifact to what people install: a wheel, bundles for clients, and lists of what is in them."""
