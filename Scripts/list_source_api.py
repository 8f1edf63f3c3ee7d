"""The public declarations of a module by its source, for modules that are not built into the drop-in folder.

What the compiler adds (synthesized conformances, inferred types) is not in it.
"""
import re
from pathlib import Path

ATTRIBUTES = re.compile(r"^(?:@\w+(?:\([^()]*\))?\s*)*")
TYPE = re.compile(r"\b(struct|class|enum|protocol|actor|extension)\s+([\w.]+)")
MEMBER = re.compile(r"\b(?:case|func|var|let|init|subscript|associatedtype|typealias)\b")
# A line that ends so, or is followed by one that begins so, is not the end of a declaration.
OPEN_END = re.compile(r"(?:->|[,:=(<]|\bwhere|\bthrows|\basync)$")
CONTINUATION = re.compile(r"^(?:->|where\b|throws\b|async\b|[{.)>?:&|=])")


def bare(text):
    """Source without comments and the contents of strings, whose braces are none."""
    text = re.sub(r'"""(?:\\.|[^\\])*?"""', '""', text, flags=re.DOTALL)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r"//[^\n]*", "", text)


def heads(text):
    """Each declaration or statement up to its body, with the heads around it."""
    around, head, nesting = [], "", 0
    lines = [line.strip() for line in bare(text).split("\n")]
    for number, line in enumerate(lines):
        for character in line:
            if character == "{" and nesting == 0:
                yield tuple(around), " ".join(head.split())
                around.append(" ".join(head.split()))
                head = ""
            elif character == "}" and nesting == 0:
                if head.strip():
                    yield tuple(around), " ".join(head.split())
                if around:
                    around.pop()
                head = ""
            else:
                nesting += (character in "([") - (character in ")]")
                head += character
        following = next((later for later in lines[number + 1:] if later), "")
        whole = " ".join(head.split())
        is_attribute = whole and not whole.startswith("#") and not ATTRIBUTES.sub("", whole + " ").strip()
        if nesting or is_attribute or OPEN_END.search(whole) or (whole and CONTINUATION.match(following)):
            head += " "
            continue
        if whole:
            yield tuple(around), whole
        head = ""


def is_public(head):
    return re.match(r"(?:\w+\s+)*?(?:public|open)\s", ATTRIBUTES.sub("", head)) is not None


def lines(sources):
    """The declarations below a folder, one a line, each after its place."""
    found, hidden = [], set()
    for path in sorted(Path(sources).rglob("*.swift")):
        for around, head in heads(path.read_text()):
            names = [match[2] for match in (TYPE.search(outer) for outer in around) if match]
            place = ".".join(names)
            match = TYPE.search(head)
            is_type = match and MEMBER.search(head[:match.start()]) is None
            parent = around[-1] if around else ""
            kind = TYPE.search(parent)
            if re.match(r"(?:@\w+\s+|\w+\s+)?import\b", head):
                if head.startswith("@_exported"):
                    found.append(("", f"import: {head}"))
            elif is_type and match[1] == "extension":
                if ":" in head.split(" where ")[0] and not re.match(r"(?:file)?private\b", head):
                    found.append((match[2], f"{match[2]}: {head}"))
            elif is_public(head):
                name = match[2] if is_type else ""
                found.append(("", f"{'.'.join(filter(None, [place, name]))}: {head}"))
            elif is_type:
                hidden.add(match[2])
            elif kind and kind[1] in ("enum", "protocol") and is_public(parent) and MEMBER.search(head):
                if kind[1] == "protocol" or head.startswith(("case ", "indirect case ")):
                    found.append(("", f"{place}: {head}"))
    visible = (line for extended, line in found if extended.split(".")[-1] not in hidden)
    return [line.replace("( ", "(").replace(" )", ")") for line in visible]
