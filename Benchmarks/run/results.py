"""What was measured: samples by work and client, their medians, and whether goals are reached."""

import statistics


class Results:
    def __init__(self, works):
        self.works = works
        self.samples = {(work.key, work.title, client.name): [] for work in works for client in work.clients}
        # The round of each sample.
        self.rounds = {key: [] for key in self.samples}
        self.failures = {}

    def add(self, work, client, sample, number):
        self.samples[work.key, work.title, client.name].append(sample)
        self.rounds[work.key, work.title, client.name].append(number)

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
        """How many times better than another client (of the figure), or how much more (of all else): the median of the rounds.

        The machine's pace differs from round to round more than within one: only what was done in the same round is compared.
        """
        mine, other = self._medians_of_rounds(work, name, what), self._medians_of_rounds(work, to, what)
        if work.is_less_better and what == "figure":
            mine, other = other, mine
        pairs = [(mine[number], other[number]) for number in mine if number in other]
        # What took nothing was not measured.
        if not pairs or not all(one and another for one, another in pairs):
            return None
        return statistics.median(one / another for one, another in pairs)

    def _medians_of_rounds(self, work, name, what):
        """A median for each round, by number; of memory it is the most of all."""
        key = work.key, work.title, name
        if self.median(work, name, what) is None:
            return {}
        values = {}
        for number, sample in zip(self.rounds[key], self.samples[key]):
            values.setdefault(number, []).append(getattr(sample, what))
        if what == "memory":
            return dict.fromkeys(values, self.median(work, name, what))
        return {number: statistics.median(each) for number, each in values.items()}

    def reached(self, work, goal):
        """What is there, and whether that is enough; None for what was not measured."""
        value = self.ratio(work, goal.client, goal.of, goal.what) if goal.of else self.median(work, goal.client, goal.what)
        if value is None:
            return None
        return value, value <= goal.number if goal.is_limit else value >= goal.number
