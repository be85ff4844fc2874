"""Common mistakes, in code and by hand, and what finds them."""
