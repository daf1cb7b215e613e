"""The names of columns, where the files do not say them."""


def numbered(stem: str, n: int) -> tuple[str, ...]:
    """Return n names that count from one."""
    return tuple(f"{stem}{k}" for k in range(1, n + 1))


def pixels(height: int, width: int) -> tuple[str, ...]:
    """Return the names of a picture's pixels, row by row."""
    return tuple(f"pixel_{i}_{j}" for i in range(height) for j in range(width))


_ADULT = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race "
    "sex capital-gain capital-loss hours-per-week native-country"
)
ADULT_NUMBERS = (0, 2, 4, 10, 11, 12)

_MUSHROOM = (
    "cap-shape cap-surface cap-color bruises odor gill-attachment gill-spacing gill-size "
    "gill-color stalk-shape stalk-root stalk-surface-above-ring stalk-surface-below-ring "
    "stalk-color-above-ring stalk-color-below-ring veil-type veil-color ring-number ring-type "
    "spore-print-color population habitat"
)

_SPAM_WORDS = (
    "make address all 3d our over remove internet order mail receive will people report addresses "
    "free business email you credit your font 000 money hp hpl george 650 lab labs telnet 857 data "
    "415 85 technology 1999 parts pm direct cs meeting original project re edu table conference"
)
ADULT = tuple(_ADULT.split())
MUSHROOM = tuple(_MUSHROOM.split())
SPAMBASE = (
    *(f"word_freq_{word}" for word in _SPAM_WORDS.split()),
    *(f"char_freq_{sign}" for sign in ";([!$#"),
    "capital_run_length_average",
    "capital_run_length_longest",
    "capital_run_length_total",
)
