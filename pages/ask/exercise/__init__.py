"""Exercises with blank cells: how they are drawn by lot, judged, and put into words."""
