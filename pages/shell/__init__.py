"""The frame around every lesson: toolbar, sidebar, sharing, presenting; the server's start and its routes."""
