"""Reports: data in, text out. Nothing here decides anything."""
