"""What attention costs."""
