"""What is measured: work, the clients that do it, and what they have to reach."""

import re
from dataclasses import dataclass, field

# Of work that takes a client a second or two.
TURNS = 3


@dataclass(frozen=True)
class Client:
    """A command that does a piece of work once."""

    name: str
    command: tuple
    # Loads, for figures that are a load's.
    count: int = 1
    # Of the work, where a client would take minutes for all of it; times and totals are scaled.
    share: float = 1.0
    environment: dict = field(default_factory=dict)
    # What its output has to be: "report" (a line of JSON with `bytes`), "clock" (when its first byte came), "digest", "lines",
    # or nothing.
    output: str = "report"
    # The bytes that a report has to tell, the SHA-256 of the output, or its least number of lines.
    expected: object = None
    # A file that has to be there afterwards, of this size; it is removed. Folders are emptied.
    leaves: tuple = ()
    # A folder and where a copy of it has to be before each run; and what may not be there afterwards.
    prepares: tuple = ()
    removes: str = ""
    # Whether it runs once before it is measured, to find what it left itself.
    warms_up: bool = False
    # Whether it is what this package is measured by.
    is_ours: bool = False
    # Why it cannot run here, if it cannot.
    missing: str = ""

    @property
    def stands_on_libraries(self):
        """Whether it is this package's, or a program in C on the same libraries."""
        return self.is_ours or re.match(r"C\b", self.name) is not None


@dataclass(frozen=True)
class Goal:
    """What a client has to reach: `figure`, `cpu`, `memory` (MB) or `requests`, alone or as a ratio to another client's."""

    client: str
    number: float
    of: str = ""
    what: str = "figure"
    # Whether the number is the most that is allowed, and not the least.
    is_limit: bool = False


@dataclass(frozen=True)
class Work:
    """One thing to do, for all clients alike."""

    key: str
    title: str
    # Of its figure: requests/s, MB/s, ms, s, or KB a task.
    unit: str
    clients: tuple
    # Whose figure the ratios are taken of.
    baseline: str
    goals: tuple = ()
    notes: str = ""
    # Whether the figure is of the whole process, from outside, and not of what the client timed itself.
    is_whole_process: bool = False
    # The cores of server and client, where these are pinned.
    cores: tuple = ()
    # How often each client does it in a round, one run after another.
    repeats: int = 1
    # How often in a round the baseline and those that the goals name have a turn; the others have one. For short work, of which a few runs say little.
    turns: int = 1
    # Whether the server's log tells requests and bytes.
    counts_requests: bool = False
    # Which clients the plot shows; none for a work that is not in it.
    plotted: tuple = ()

    def turn(self, number):
        """Who has the turn of this number in a round, from 0."""
        if number == 0:
            return self.clients
        if not self.goals:
            return self.clients
        named = {self.baseline}.union(*((goal.client, goal.of) for goal in self.goals))
        return tuple(client for client in self.clients if client.name in named)

    @property
    def is_less_better(self):
        return self.unit in ("ms", "s", "KB a task")

    @property
    def cpu_unit(self):
        if self.unit == "MB/s":
            return "CPU ms a GiB"
        if self.unit == "KB a task":
            return "CPU µs a task"
        return "CPU µs a request" if self.unit == "requests/s" else "CPU ms"


@dataclass
class Sample:
    """What one run of a client took."""

    figure: float
    cpu: float
    memory: float
    requests: float = 0
    sent: float = 0
