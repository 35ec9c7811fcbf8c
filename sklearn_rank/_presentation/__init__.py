"""How results are shown: as text, as HTML, as a frame, as JSON and as a page."""
