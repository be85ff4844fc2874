"""Drawing on the screen: the picture, charts, steps, numbers, and the texts in both languages."""
