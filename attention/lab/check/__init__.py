"""Other people's attention functions, checked over telling cases, and the mistakes that they look like."""
