"""Several heads."""
