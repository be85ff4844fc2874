"""What newer models change in attention."""
