"""Files and links to take away: exports, the worksheet, and a teacher's links for a class."""
