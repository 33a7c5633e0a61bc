"""Pages for a terminal, as Rich renderables; they adapt to its width and lose their colours in a pipe."""
