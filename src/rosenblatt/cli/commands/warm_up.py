"""``rosenblatt warm-up``: compile the loops now, so that nothing else has to wait for it."""

from dataclasses import dataclass

from rosenblatt.console import OutputOptions, UsageError, count, is_terminal, option, put_json, say

EXAMPLES = (
    "rosenblatt warm-up",
    "rosenblatt warm-up --jobs 2 --quiet",
)


@dataclass
class WarmUpOptions(OutputOptions):
    """The options of `warm-up`."""

    jobs: int | None = option(
        "How many processes compile at once. [default: one for each processor]", metavar="N"
    )


def warm_up(options: WarmUpOptions) -> None:
    """Compile the loops that are commonly used, all at once.

    Otherwise each is compiled when it is first used, which takes a second or so, once. Compiled
    code is kept on disk, for this version of the package, of Python and of Numba.
    """
    if options.jobs is not None and options.jobs < 1:
        raise UsageError(f"--jobs {options.jobs} must be 1 or more")
    from time import perf_counter

    from rosenblatt.kernels import levels
    from rosenblatt.kernels import warm_up as compiling

    began = perf_counter()
    known = len(compiling.common().signatures)
    numbers = compiling.missing()
    if numbers and is_terminal() and not options.quiet and not options.json:
        done = _with_bar(numbers, options.jobs)
    else:
        if numbers:
            many = count(len(numbers), "loop")
            say(
                f"compiling {many}, about {compiling.seconds_for(len(numbers)):.0f} s ...",
                quiet=options.quiet or options.json,
            )
        done = len(compiling.warm_up(numbers, workers=options.jobs))
    seconds, failed = perf_counter() - began, len(numbers) - done
    if options.json:
        before, level = known - len(numbers), levels.level()[0]
        facts = {"compiled": done, "before": before, "failed": failed, "level": level}
        put_json({**facts, "seconds": seconds})
    else:
        took = f"compiled {count(done, 'loop')} in {seconds:.1f} s" if numbers else "nothing to do"
        say(f"{took}; {known - failed:,} are ready for {levels.level()[0]}", quiet=options.quiet)
    if failed:
        raise ValueError(
            f"{count(failed, 'loop')} could not be compiled or kept on disk: each will be compiled "
            "when it is used; to see why, set NUMBA_CACHE_DIR to a folder that you can write to"
        )


def _with_bar(numbers: list[int], jobs: int | None) -> int:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from rosenblatt.kernels import warm_up as compiling

    console = Console(stderr=True, highlight=False, markup=False, force_jupyter=False)
    columns = (
        TextColumn("compiling"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, expand=True) as progress:
        task = progress.add_task("", total=len(numbers))
        return len(compiling.warm_up(numbers, lambda name: progress.advance(task), jobs))
