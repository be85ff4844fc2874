"""Heads of a small trained model, all-MiniLM-L6-v2: what they attend to, and what that explains."""
