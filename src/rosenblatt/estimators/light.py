"""Scikit-learn's manners without scikit-learn, which takes a second to load.

A command that tags a few lines should not wait for it. What is here is enough for ``clone``, grid
searches and ``cross_val_score``, which load it themselves.
"""

import inspect
from typing import Any, Self


class Light:
    """Base of an estimator that can be used without scikit-learn: its parameters and its name."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; ``deep`` changes nothing, as none is an estimator."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; names that are not known raise ``ValueError``."""
        known = self.get_params()
        for name in params:
            if name not in known:
                raise ValueError(
                    f"{type(self).__name__} has no parameter {name!r}; there are "
                    f"{', '.join(sorted(known))}"
                )
        vars(self).update(params)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=True))

    def _need_fitted(self, attribute: str) -> None:
        """Raise scikit-learn's ``NotFittedError`` if it has not learned."""
        if not hasattr(self, attribute):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with sequences "
                "and their tags first, or load one from a file"
            )
