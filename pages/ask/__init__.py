"""Questions, exercises, topics, votes, links to lessons, and long work."""
