"""What a command says, on the screen and once more in its report."""

__all__ = ["Screen"]


class Screen:
    """Prints paragraphs and remembers them."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        """Print a paragraph at once."""
        self.said.append(text)
        print(text, end="\n\n", flush=True)
