"""What leaves the app: exported files, the worksheet, and the links that a teacher makes for a class."""
