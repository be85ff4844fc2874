"""What asks the learner and what takes a while: questions, topics, votes, links, long work."""
