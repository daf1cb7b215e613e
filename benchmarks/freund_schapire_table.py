"""What the experiment of Freund and Schapire came to: as text, for the guide, and as a picture."""

WAYS = ("vote", "average", "last", "random")


def rows_of(result):
    """Yield the rows of a degree's part of the table: a name, and cells as text."""
    for way in WAYS:
        yield way, [f"{100 * error:.2f}" for error in result["errors"][way]]
    for name in ("mistakes", "support"):
        yield name, [f"{count:,}" for count in result[name]]


def note(result):
    """Say in a line how long it took, and whether it ended by itself."""
    seconds = result["seconds"]
    predicted = ", ".join(f"{way} {seconds[way]:.1f}" for way in WAYS)
    clean = result["converged"]
    end = f"converged after {clean} passes" if clean else "no clean pass"
    return f"{end}; fit {seconds['fit']:.1f} s, all columns of {predicted} s"


def as_text(results):
    """Return the table as in the paper: for each degree the errors in percent, then counts."""
    lines = []
    for result in results:
        heads = [f"{T:g}" for T in result["passes"]]
        lines += [f"{'degree ' + str(result['degree']):<12}{'T =':>4}" + cells(heads, 5)]
        lines += [f"  {name:<9}" + cells(texts, 10) for name, texts in rows_of(result)]
        lines += [f"  {note(result)}", ""]
    return "\n".join(lines)


def cells(texts, first):
    return "".join(f"{text:>{10 if k else first}}" for k, text in enumerate(texts))


def as_markdown(results):
    """Return the table for the guide, between the comments that enclose it there."""
    lines = ["<!-- table -->", ""]
    lines += heading("degree", "", *(f"T = {T:g}" for T in results[0]["passes"]))
    for result in results:
        for name, texts in rows_of(result):
            lines += [line_of(result["degree"], name, *texts)]
    lines += ["", *heading("degree", *(result["degree"] for result in results))]
    fits = [result["seconds"]["fit"] for result in results]
    predictions = [sum(result["seconds"][way] for way in WAYS) for result in results]
    lines += [line_of("seconds to fit", *map(short, fits))]
    lines += [line_of("seconds to predict, all columns and ways", *map(short, predictions))]
    ends = [result["converged"] or "–" for result in results]
    lines += [line_of("passes until one was clean", *ends), "", "<!-- table -->"]
    return "\n".join(lines)


def heading(*cells):
    below = ["---:" if str(cell)[-1:].isdigit() else "---" for cell in cells]
    return line_of(*cells), line_of(*below)


def line_of(*cells):
    return f"| {' | '.join(map(str, cells))} |".replace("|  |", "| |")


def short(seconds):
    return f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}"


def draw(results, path):
    import matplotlib

    matplotlib.use("agg")
    from rosenblatt.plot import plot_passes

    errors = {f"degree {result['degree']}": result["errors"] for result in results}
    plot_passes(results[0]["passes"], errors).savefig(path, dpi=250)
