"""Draws how fast everyone is, beside this package, as an SVG."""

from xml.sax.saxutils import escape

import table

# Two columns.
COLUMN, LABEL, BAR = 515, 205, 160
LINE, TITLE, GAP, TOP = 20, 26, 14, 56
# Longer bars are cut off, and say their number.
LONGEST = 1.25
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 13px }
  .note, .value { fill: #57606a }
  .ours { fill: #d9480f } .peer { fill: #8c959f } .one { stroke: #57606a; stroke-dasharray: 3 3 } .back { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .note, .value { fill: #9198a1 } .peer { fill: #656c76 } .one { stroke: #9198a1 } .back { fill: #0d1117 }
  }
"""


def bars(work, results):
    """Name, ratio to the baseline, and words of each client that is drawn."""
    names = [work.baseline, *(name for name in work.plotted if name != work.baseline)]
    found = []
    for name in names:
        ratio = results.ratio(work, name, work.baseline)
        if ratio is not None:
            found.append((name, ratio, f"{table.number(results.median(work, name))} {work.unit} · {table.times(ratio)}"))
    return found


def group(work, found, ours, x, y):
    """The shapes of one work, and where they end."""
    shapes = [f'<text class="title" x="{x + 12}" y="{y + 14}">{escape(work.title)}</text>']
    y += TITLE
    begin, left = y, x + LABEL
    for name, ratio, words in found:
        length = max(2, min(ratio, LONGEST) / LONGEST * BAR)
        kind = "ours" if name in ours else "peer"
        shapes.append(f'<text x="{left - 8}" y="{y + 13}" text-anchor="end">{escape(name)}</text>')
        shapes.append(f'<rect class="{kind}" x="{left}" y="{y + 2}" width="{length:.1f}" height="{LINE - 5}" rx="2"/>')
        shapes.append(f'<text class="value" x="{left + BAR + 8}" y="{y + 13}">{escape(words)}</text>')
        y += LINE
    one = left + BAR / LONGEST
    shapes.append(f'<line class="one" x1="{one}" y1="{begin - 2}" x2="{one}" y2="{y}"/>')
    return shapes, y + GAP


def draw(results):
    """The SVG's text; None where nothing was measured that is drawn."""
    shapes, ends = [], [TOP + GAP] * 2
    for work in results.works:
        found = bars(work, results) if work.plotted else []
        if len(found) < 2:
            continue
        column = ends.index(min(ends))
        ours = {client.name for client in work.clients if client.is_ours}
        more, ends[column] = group(work, found, ours, column * COLUMN, ends[column])
        shapes += more
    if not shapes:
        return None
    width, height = COLUMN * len(ends), max(ends) + 2
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
        f"<title>Speed of URLLoading and its peers</title><style>{STYLE}</style>",
        f'<rect class="back" width="{width}" height="{height}" rx="6"/>',
        '<text class="title" x="12" y="26">Speed beside the first of each group (dashed line: as fast; longer is faster)</text>',
        '<text class="note" x="12" y="46">Medians of one run on one machine; Benchmarks/results.md has all numbers, CPU and memory.</text>',
        *shapes, "</svg>",
    ]
    return "\n".join(lines) + "\n"


def write(path, results):
    text = draw(results)
    if text is not None:
        with open(path, "w") as file:
            file.write(text)
