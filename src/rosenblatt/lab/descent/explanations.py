"""What happens on the way down, in words: how each path ends, and why."""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.lab.descent.settings import PATHS, Settings
from rosenblatt.lab.descent.surface import FLAT, NOWHERE, POINT, Bends, Ground
from rosenblatt.tracing.descent import DIVERGED

_NEAR = 0.01  # of the height at the start, above the bottom
_WILD = 100.0  # times the loss at the start
_LONG = 5.0  # times longer than wide: a valley


class Fate(NamedTuple):
    """How a path ends: a word, its tone (good, bad, warn or none) and a sentence."""

    word: str
    tone: str
    text: str


LOST = Fate("diverges", "bad", "The loss grows and grows.")
AT_ZERO = Fate("loss 0", "good", "It is on the flat, where the loss is 0.")
ARRIVED = Fate("arrived", "good", "It has come 99% of the way down, or more.")
FALLS = Fate("on its way", "", "The loss still falls.")
RESTLESS = Fate("wanders", "warn", "The loss no longer falls: such steps do not settle.")


def fate(settings: Settings, ground: Ground, path: str, losses: Array, ending: str) -> Fate:
    """Say how a path ends."""
    if ending == DIVERGED or (path == "batch" and _must_diverge(settings, ground)):
        return LOST
    if settings.loss == "squared" and losses.max() > _WILD * losses[0]:
        return LOST  # that it came back was luck
    above = losses - ground.bottom
    if ground.kind == FLAT and above[-1] == 0:
        return AT_ZERO
    late = above[-max(len(above) // 10, 1) :]
    if ground.kind == POINT and late.mean() <= _NEAR * above[0] + 1e-12:
        return ARRIVED
    quarter = max(len(above) // 4, 1)
    late, before = above[-quarter:], above[-2 * quarter : -quarter]
    # What still falls differs from what goes up and down in how much it falls for its noise.
    falls = before.size and np.median(before) - np.median(late) > 0.5 * late.std()
    return FALLS if falls and late.mean() < above[0] else RESTLESS


def _must_diverge(settings: Settings, ground: Ground) -> bool:
    """Say whether batch descent grows for certain, however slowly."""
    if settings.loss != "squared" or settings.rate != "constant" or ground.bends is None:
        return False
    return settings.eta > 2 / ground.bends.most


def sentence(settings: Settings, ground: Ground, fates: dict[str, Fate], shown: list[str]) -> str:
    """Say what happens, and why, in a sentence or two."""
    strength = settings.eta * settings.alpha
    if strength >= 1 and settings.rate != "line_search":
        return (
            f"η α = {strength:.3g} is not below 1: the penalty alone turns the weights round, and "
            "no path gets anywhere."
        )
    said = [_lay_of_the_land(settings, ground)]
    if "batch" in shown:
        said.append(_of_batch(settings, ground, fates["batch"]))
    said.append(_of_others(settings, ground, fates, shown))
    return " ".join(part for part in said if part)


def _lay_of_the_land(settings: Settings, ground: Ground) -> str:
    """Say what there is instead of a lowest point, or why that is no use."""
    if ground.kind == NOWHERE:
        return "A line separates the classes, so the loss has no lowest point: it falls for ever."
    if ground.kind == FLAT:
        margin = ", all margins at least 1" if settings.loss == "hinge" else ""
        return f"On the flat the loss is 0: these weights separate the classes{margin}."
    if settings.loss == "perceptron":
        why = "The penalty pulls to w = 0" if settings.alpha else "No line separates the classes"
        return f"{why}: the perceptron's loss is lowest at zero weights, which decide nothing."
    return ""


def _of_batch(settings: Settings, ground: Ground, batch: Fate) -> str:
    eta = f"η = {settings.eta:g}"
    if settings.rate == "line_search":
        return "Batch descent searches for the best step each time, so η plays no part for it."
    if ground.bends is not None:
        return _with_slopes_that_fade(settings, ground.bends, batch, eta)
    if settings.loss == "hinge" and ground.kind == POINT:
        if settings.rate != "constant":
            return "At the hinge's kinks slopes do not fade, but shorter and shorter steps settle."
        if batch == FALLS:
            return f"With {eta} batch descent is still on its way."
        return (
            f"At the hinge's kinks slopes do not fade: with {eta} for ever, batch descent comes "
            "near and then goes back and forth."
        )
    return "Batch descent has got there." if batch == AT_ZERO else ""


def _with_slopes_that_fade(settings: Settings, bends: Bends, batch: Fate, eta: str) -> str:
    """Compare the step with how much the surface curves."""
    short, limit = 1 / bends.anywhere, 2 / bends.most
    there = "" if settings.loss == "squared" else " at the lowest point"
    decays = settings.rate != "constant"
    eta = f"At first {eta}" if decays else eta
    if settings.eta > limit:
        what = "overshoots and diverges" if settings.loss == "squared" else "cannot settle there"
        if batch != LOST and decays:
            what = "overshoots, until the steps are short enough"
        return f"{eta} is more than 2/L = {limit:.3g}{there}: batch descent {what}."
    if settings.eta > short:
        return (
            f"{eta} is between 1/L = {short:.3g} and 2/L = {limit:.3g}{there}: batch descent "
            "overshoots, but less each time."
        )
    times = bends.most / bends.least
    slow = f", but is slow along the valley, {times:.0f} times flatter"
    text = f"{eta} is at most 1/L = {short:.3g}: batch descent never overshoots"
    return f"{text}{slow if times > _LONG else ''}."


def _of_others(settings: Settings, ground: Ground, fates: dict[str, Fate], shown: list[str]) -> str:
    """Speak of the paths that see few points at a time."""
    batch_too = "batch" in shown
    paths = [path for path in shown if path != "batch"]
    lost = [path for path in paths if fates[path] == LOST]
    if lost:
        text = _named(lost, "diverge", batch_too) + " too" * (batch_too and fates["batch"] == LOST)
        limit = 1 / ground.farthest
        if "stochastic" in lost and settings.loss == "squared" and settings.eta > limit:
            return f"{text}: single points are safe up to 1/max‖x‖² = {limit:.3g}."
        return f"{text}."
    restless = [path for path in paths if fates[path] == RESTLESS]
    if restless and ground.kind == POINT and settings.loss != "perceptron":
        return f"{_named(restless, 'wander', batch_too)}: every point pulls elsewhere."
    return ""


def _named(paths: list[str], verb: str, batch_too: bool) -> str:
    if len(paths) == 1:
        return f"{PATHS[paths[0]]} descent {verb}s"
    return f"{'The others' if batch_too else 'Both'} {verb}"
