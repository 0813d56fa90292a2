"""One self-contained page of HTML about a check: what is gathered for it, its pictures, its style and its script."""
