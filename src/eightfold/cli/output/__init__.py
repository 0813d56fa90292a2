"""What the program writes and how it ends: lines, colour, reports, exit statuses."""
