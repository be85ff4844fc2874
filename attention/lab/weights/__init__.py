"""What attention weights tell, and what they do not."""
