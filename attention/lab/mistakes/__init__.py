"""Common mistakes in lessons, and what finds them; the catalogue is attention.checking.mistakes."""
