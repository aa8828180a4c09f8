"""Promises and worked examples, to core."""
