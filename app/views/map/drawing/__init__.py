"""How a map is drawn: canvas, colours, density, legend, overlay."""
