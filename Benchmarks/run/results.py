"""What was measured: samples by work and client, their medians, and whether goals are reached."""

import statistics


class Results:
    def __init__(self, works):
        self.works = works
        self.samples = {(work.key, work.title, client.name): [] for work in works for client in work.clients}
        # The round and the turn of each sample.
        self.turns = {key: [] for key in self.samples}
        self.failures = {}

    def add(self, work, client, sample, turn):
        self.samples[work.key, work.title, client.name].append(sample)
        self.turns[work.key, work.title, client.name].append(turn)

    def fail(self, work, client, reason):
        self.failures[work.key, work.title, client.name] = reason

    def has_samples(self, work, client):
        return bool(self.samples[work.key, work.title, client.name])

    def failure(self, work, name):
        return self.failures.get((work.key, work.title, name))

    def median(self, work, name, what="figure"):
        """A median, or None where the client has no samples. Of memory it is the most."""
        values = [getattr(sample, what) for sample in self.samples.get((work.key, work.title, name), [])]
        if not values or self.failure(work, name):
            return None
        return max(values) if what == "memory" else statistics.median(values)

    def spread(self, work, name):
        values = [sample.figure for sample in self.samples[work.key, work.title, name]]
        return min(values), max(values)

    def ratio(self, work, name, to, what="figure"):
        """How many times better than another client (of the figure), or how much more (of all else): the median of all turns.

        The machine's pace differs from minute to minute by more than the clients do: only what was done in the same turn is compared.
        """
        mine, other = self._medians_of_turns(work, name, what), self._medians_of_turns(work, to, what)
        if work.is_less_better and what == "figure":
            mine, other = other, mine
        pairs = [(mine[turn], other[turn]) for turn in mine if turn in other]
        # What took nothing was not measured.
        ratios = [one / another for one, another in pairs if one and another]
        return statistics.median(ratios) if ratios else None

    def _medians_of_turns(self, work, name, what):
        """A median for each turn, which may have repeats; of memory it is the most of all."""
        key = work.key, work.title, name
        if self.median(work, name, what) is None:
            return {}
        values = {}
        for turn, sample in zip(self.turns[key], self.samples[key]):
            values.setdefault(turn, []).append(getattr(sample, what))
        if what == "memory":
            return dict.fromkeys(values, self.median(work, name, what))
        return {turn: statistics.median(each) for turn, each in values.items()}

    def reached(self, work, goal):
        """What is there, and whether that is enough; None for what was not measured."""
        value = self.ratio(work, goal.client, goal.of, goal.what) if goal.of else self.median(work, goal.client, goal.what)
        if value is None:
            return None
        return value, value <= goal.number if goal.is_limit else value >= goal.number
