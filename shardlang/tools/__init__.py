"""Ways in for other programs. Each is imported by the program that it is for, and nothing else imports it."""
