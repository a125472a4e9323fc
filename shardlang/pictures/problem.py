"""Why there is no picture."""


class PictureError(Exception):
    """A text does not have what a picture needs: finding SL510 with this message, and a hint or None."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint
