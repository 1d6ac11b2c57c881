"""What notebooks show: small tables, and bars with intervals drawn as SVG."""
import html

BAR_WIDTH, BAR_HEIGHT = 220, 14  # pixels


def number(value):
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _cell(value):
    return html.escape(number(value))


def table(rows):
    if not rows:
        return "<p>nothing</p>"
    titles = list(dict.fromkeys(title for row in rows for title in row))
    head = "".join(f"<th>{html.escape(str(title))}</th>" for title in titles)
    body = "".join("<tr>" + "".join(f"<td>{_cell(row.get(t))}</td>" for t in titles) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def failures(failed):
    """A line in red per model that could not be used."""
    lines = "".join(f"<li><b>{html.escape(one['name'])}</b>: {html.escape(one['error'])}</li>" for one in failed)
    title = f"{len(failed)} model{'s' if len(failed) != 1 else ''} failed and cannot be ranked"
    return f'<div style="color:#b00020"><p>{title}</p><ul>{lines}</ul></div>' if failed else ""


def _scale(bars):
    """What turns a value into pixels, and where zero (or the least value) is."""
    ends = [end for value, low, high in bars for end in (value, low, high) if end is not None]
    least, most = min([*ends, 0.0]), max([*ends, 0.0])
    span = (most - least) or 1.0
    return lambda value: (value - least) / span * (BAR_WIDTH - 2) + 1


def bars(values):
    """An SVG per (value, low, high): a bar from zero, and its interval as a line."""
    to_pixels = _scale([bar for bar in values if bar[0] is not None] or [(0.0, None, None)])
    out = []
    for value, low, high in values:
        if value is None:
            out.append("")
            continue
        first, last = sorted((to_pixels(0.0), to_pixels(value)))
        middle = BAR_HEIGHT / 2
        parts = f'<rect x="{first:.1f}" y="2" width="{max(last - first, 1):.1f}" height="{BAR_HEIGHT - 4}" fill="#7aa6d6"/>'
        if low is not None and high is not None:
            parts += f'<line x1="{to_pixels(low):.1f}" x2="{to_pixels(high):.1f}" y1="{middle}" y2="{middle}" stroke="#1b2a41" stroke-width="2"/>'
        out.append(f'<svg width="{BAR_WIDTH}" height="{BAR_HEIGHT}" role="img">{parts}</svg>')
    return out
