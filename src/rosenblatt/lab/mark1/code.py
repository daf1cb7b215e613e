"""The Mark I's lessons as Python code that comes to the same weights."""

from collections.abc import Sequence

from rosenblatt.lab.mark1.machine import Passes, Taught, View

_HEAD = '''"""The Mark I as the lab showed it: the same lessons, and so the same weights."""

import numpy as np

from rosenblatt import Perceptron
from rosenblatt.lab.mark1.pictures import guesses, see, stock, unpack

'''
_LEARN = """
pictures, labels, held, held_labels = stock(names)  # what the lab has at hand
responses = np.arange(len(names))
model = Perceptron()
for lesson in lessons:
    noise, right, down, seed = lesson[2:]
    if isinstance(lesson[0], str):  # one picture; it is learned from if it is a mistake
        picture, label = unpack(lesson[0]), lesson[1]
        model.partial_fit(see(picture, noise, right, down, seed)[None], [label], classes=responses)
        pictures, labels = np.vstack([pictures, picture]), np.append(labels, label)
        continue
    for number in range(lesson[1]):  # passes over all pictures so far
        order = np.random.default_rng(seed + number).permutation(len(labels))
        seen = see(pictures, noise, right, down, seed + number)
        model.partial_fit(seen[order], labels[order], classes=responses)
        print(f"a pass over {len(order)} pictures: {model.mistakes_[0]} mistakes")
"""
_SHOW = """
np.set_printoptions(linewidth=120)
for weights, threshold in zip(model.coef_, model.intercept_):
    print(weights.reshape(20, 20).astype(int), int(threshold))
scores = model.decision_function(shown[None])
guess = guesses(scores)[0]
print("scores:", scores[0], "guess:", names[guess] if guess >= 0 else "none")
if len(held):
    seen = see(held, {noise}, {right}, {down}, {seed})
    n_right = np.count_nonzero(guesses(model.decision_function(seen)) == held_labels)
    print(f"right on {n_right} of {len(held)} pictures that were held out")
"""


def code(names: Sequence[str], lessons: Sequence[Taught | Passes], picture: str, view: View) -> str:
    """Return a script that learns the same, and shows the weights and what it says to a picture."""
    lines = [f"names = {list(names)!r}  # the responses"]
    lines.append("lessons = [  # a picture and its response, or passes; noise, right, down, seed")
    lines += [f"    {_lesson(one)}," for one in lessons]
    lines.append("]")
    shown = f'\nshown = see(unpack("{picture}"), {_view(view)})\n'
    if not lessons:
        return _HEAD + "\n".join(lines) + shown + "\nprint('no lesson yet: all weights are 0')\n"
    places = {f"{{{name}}}": repr(value) for name, value in view._asdict().items()}
    show = _SHOW
    for place, value in places.items():
        show = show.replace(place, value)
    return _HEAD + "\n".join(lines) + "\n" + _LEARN + shown + show.lstrip("\n")


def _lesson(lesson: Taught | Passes) -> str:
    what = (
        f'"{lesson.picture}", {lesson.label}'
        if isinstance(lesson, Taught)
        else f"None, {lesson.number}"
    )
    return f"({what}, {_view(lesson.view)})"


def _view(view: View) -> str:
    return ", ".join(map(repr, view))
