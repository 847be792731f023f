"""Retrievers for frameworks that build applications around language models, one module for each framework.

Imports `api`, types of `knowledge`, and the framework, which comes with an extra of the same name.
"""
