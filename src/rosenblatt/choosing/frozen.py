"""A mapping that cannot be changed, and can be copied, pickled and compared like any other."""

from typing import Any, NoReturn


class Frozen(dict[str, Any]):
    """A dict that refuses changes.

    >>> Frozen(a=1) == {"a": 1}
    True
    >>> Frozen(a=1)["b"] = 2
    Traceback (most recent call last):
    TypeError: a report cannot be changed; dict(...) makes a copy that can
    """

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a report cannot be changed; dict(...) makes a copy that can")

    __setitem__ = __delitem__ = __ior__ = _refuse
    update = setdefault = pop = popitem = clear = _refuse

    def __reduce__(self) -> tuple[type, tuple[dict[str, Any]]]:
        return Frozen, (dict(self),)
