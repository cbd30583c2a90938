#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Make a table and a plot of what tools/bench-peers has measured.

usage: bench/peers/report.py RESULTS.json OUTPUT.md

The plot stands beside it as OUTPUT.svg, if matplotlib is there.
"""
import json
import os
import statistics
import sys
import textwrap

# What all others are held against.
BASE = "mete-group"

PREAMBLE = """\
# Mete and others

Made by `make bench-peers` on {date}: revision {revision}, {cpus} CPUs
({cpu}), {system}, {compiler}.

{peers}

Each figure is the median of {rounds} rounds (least … most). In a round every work
is done by all, one after the other, in turns, each for {ms} ms in a process of
its own that is bound to as many CPUs as the work takes. All do the same: the
programs are in [`bench/peers/`](../bench/peers/), Mete's in
[`bench/`](../bench/). Wake-ups are the loop of `mete bench sem`: each worker
stamps a word, says that it is ready and waits for a semaphore of its own; one
task goes round and wakes up to 1,900 at a time. What a peer does not have is
left empty: State Threads and GNU Pth know one CPU only, a yield of State
Threads is a sleep of no time, Boost.Fiber's and GNU Pth's semaphore is a mutex
and a condition variable, Go's a channel with room for one, and Tokio's channel
has room for one, too.

Only Mete keeps books meanwhile: *by task* and *by group* it knows where each
nanosecond went.
"""


def median(values):
    there = [value for value in values if value is not None]
    return statistics.median(there) if there else None


def short(value):
    """Three digits that matter."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 1 else f"{value:.2g}"


def cell(values):
    there = [value for value in values if value is not None]
    if not there:
        return ""
    return (f"{short(statistics.median(there))} "
            f"({short(min(there))} … {short(max(there))})")


def ratio(work, figures, name):
    """How many times as long, or as little, as Mete: the median of rounds."""
    ratios = []
    for mine, other in zip(figures[BASE], figures[name]):
        if mine and other:
            ratios.append(mine / other if work["unit"] == "M/s"
                          else other / mine)
    return median(ratios)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def figures_table(results, names):
    titles = results["titles"]
    rows = []
    for work in results["works"]:
        figures = results["figures"][work["name"]]
        rows.append([f"{work['title']}, {work['unit']}"]
                    + [cell(figures[name]) for name in names])
    return table(["work"] + [titles[name] for name in names], rows)


def ratios_table(results, names):
    titles = results["titles"]
    rows = []
    for work in results["works"]:
        figures = results["figures"][work["name"]]
        ratios = [ratio(work, figures, name) for name in names]
        rows.append([work["title"]] + [short(r) if r else "" for r in ratios])
    return table(["work"] + [titles[name] for name in names], rows)


def plot(results, names, path):
    try:
        import matplotlib
    except ImportError:
        print("bench-peers: no plot: no python3-matplotlib", file=sys.stderr)
        return False
    matplotlib.use("svg")
    # The same results give the same file.
    matplotlib.rcParams["svg.hashsalt"] = "mete"
    from matplotlib import pyplot
    works = results["works"]
    figure, axes = pyplot.subplots(figsize=(9, 1.6 + 0.34 * len(works)))
    markers = "osD^vPX*<>"
    for i, name in enumerate(names):
        points = [(ratio(work, results["figures"][work["name"]], name), y)
                  for y, work in enumerate(works)]
        points = [(x, y) for x, y in points if x]
        axes.plot([x for x, _ in points], [y for _, y in points],
                  markers[i % len(markers)], label=results["titles"][name])
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(works)), [work["title"] for work in works])
    axes.invert_yaxis()
    axes.set_xlabel("time for the same work, as a multiple of "
                    f"{results['titles'][BASE]} (to the right: Mete is faster)")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncol=5,
                frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    return True


def main():
    if len(sys.argv) != 3:
        print(__doc__.strip().splitlines()[2], file=sys.stderr)
        return 2
    with open(sys.argv[1]) as source:
        results = json.load(source)
    output = sys.argv[2]
    names = list(results["titles"])
    others = [name for name in names if name != BASE]
    titles = results["titles"]
    peers = ", ".join(f"{titles[name]} {version}" for name, version
                      in results["versions"].items())
    peers = f"Debian's packages: {peers}." if peers else "No peer was there."
    text = PREAMBLE.format(**{**results, "peers": textwrap.fill(peers, 80)})
    text += "\n## Figures\n\n" + figures_table(results, names)
    text += (f"\n## Time for the same work, as a multiple of {titles[BASE]}\n\n"
             "Above 1 Mete is faster.\n\n" + ratios_table(results, others))
    image = os.path.splitext(output)[0] + ".svg"
    if plot(results, others, image):
        text += ("\n![Time for the same work, as a multiple of Mete's]"
                 f"({os.path.basename(image)})\n")
    with open(output, "w") as out:
        out.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
