"""Tables, comparison with published numbers, figures and the HTML page."""
