"""Results as text, HTML, a frame, JSON and a page."""
