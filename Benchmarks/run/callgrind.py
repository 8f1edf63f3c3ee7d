"""What Callgrind counts of a program's run."""

import re
import subprocess
import tempfile


class Profile:
    """How often each instruction was executed, by its object and its place there."""

    def __init__(self, command, environment):
        with tempfile.NamedTemporaryFile() as output:
            options = ("--dump-instr=yes", "--dump-line=no", "--compress-pos=no", f"--callgrind-out-file={output.name}")
            result = subprocess.run(
                ["valgrind", "--tool=callgrind", *options, *command], capture_output=True, text=True, env=environment,
                timeout=600)
            if result.returncode != 0:
                raise SystemExit(f"error: {' '.join(command)[:200]}\n{result.stderr[-2000:]}")
            with open(output.name) as file:
                self.counts = self._counts(file)

    @staticmethod
    def _counts(file):
        counts, objects, current, is_call = {}, {}, None, False
        for line in file:
            if line.startswith("0x"):
                # The line after a call has the cost of what was called.
                if not is_call:
                    place, number = line.split()
                    key = current, int(place, 16)
                    counts[key] = counts.get(key, 0) + int(number)
                is_call = False
            elif line.startswith("calls="):
                is_call = True
            elif found := re.match(r"c?ob=(\(\d+\))(?: (.*))?", line):
                number, name = found.groups()
                if name:
                    objects[number] = name
                if line.startswith("ob="):
                    current = objects[number]
        return counts

    def difference(self, fewer, loads):
        """How often each was executed a load."""
        return {key: (count - fewer.counts.get(key, 0)) / loads for key, count in self.counts.items()}
