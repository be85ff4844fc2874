"""The lessons, a folder each: its branch of the course, its settings, its parts and their texts."""
