"""What was measured: samples by work and client, their medians, and whether goals are reached."""

import statistics


class Results:
    def __init__(self, works):
        self.works = works
        self.samples = {(work.key, work.title, client.name): [] for work in works for client in work.clients}
        self.failures = {}

    def add(self, work, client, sample):
        self.samples[work.key, work.title, client.name].append(sample)

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
        """How many times better than another client (of the figure), or how much more (of all else)."""
        mine, other = self.median(work, name, what), self.median(work, to, what)
        if not mine or not other:
            return None
        return other / mine if what == "figure" and work.is_less_better else mine / other

    def reached(self, work, goal):
        """What is there, and whether that is enough; None for what was not measured."""
        value = self.ratio(work, goal.client, goal.of, goal.what) if goal.of else self.median(work, goal.client, goal.what)
        if value is None:
            return None
        return value, value <= goal.number if goal.is_limit else value >= goal.number
