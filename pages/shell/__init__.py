"""What surrounds every lesson: the frame, toolbar, sidebar, sharing, presenting, and the server's start."""
