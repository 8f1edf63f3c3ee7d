"""Makes the files that are loaded."""

import base64
import hashlib
import json
import os
import random
import shutil
import zipfile

GIB, MIB = 1 << 30, 1 << 20
MEMBERS = 20_000
SMALL_FILES, SMALL_SIZE = 1000, 4096
WANTED = ("files/012/012345.bin", "files/004/004711.bin")
WORDS = ("orders", "messages", "photos", "invoices", "followers", "settings", "notifications", "devices")


def json_text(size):
    """JSON of a size, in bytes."""
    items = [{"id": number, "name": f"item {number}", "price": 100 + number, "tags": ["new", "red"]} for number in range(16)]
    text = json.dumps({"items": items, "note": ""}, separators=(",", ":"))
    return text[:-2] + "x" * (size - len(text)) + text[-2:]


class Fixtures:
    """What is in memory lies in `data` and is made anew; the archives lie in `folder` and are kept."""

    def __init__(self, folder, data):
        self.folder, self.data, self.www = folder, data, f"{data}/www"
        self.downloads, self.temporary = f"{data}/downloads", f"{data}/temporary"
        self.lists = {}
        self.many, self.large = f"{folder}/archives/many.zip", f"{folder}/archives/large.zip"
        for path in (f"{self.www}/small", f"{self.www}/put", f"{data}/index", self.downloads, self.temporary, f"{folder}/archives"):
            os.makedirs(path, exist_ok=True)
        # nginx writes there, perhaps as another user.
        os.chmod(f"{self.www}/put", 0o777)

    def file(self, size):
        """A file of pseudo-random bytes below the servers' root."""
        path = f"{self.www}/{size}"
        if not os.path.exists(path):
            block = random.Random(size).randbytes(min(size, MIB))
            with open(path, "wb") as file:
                for _ in range(size // len(block)):
                    file.write(block)
                file.write(block[: size % len(block)])
        return path

    def small(self):
        """1,000 files of 4 KB, and a folder for each share of them that a slow client takes."""
        folder = f"{self.www}/small"
        if not os.path.exists(f"{folder}/{SMALL_FILES - 1}"):
            data = random.Random(3).randbytes(SMALL_SIZE)
            for number in range(SMALL_FILES):
                with open(f"{folder}/{number}", "wb") as file:
                    file.write(data)
        return folder

    def many_entries(self, count):
        """A folder with so many empty files."""
        folder = f"{self.www}/entries"
        os.makedirs(folder, exist_ok=True)
        for number in range(count):
            open(f"{folder}/{number:05} of many.txt", "w").close()
        return folder

    def some_small(self, count):
        folder = f"{self.www}/small-{count}"
        if not os.path.exists(folder):
            os.mkdir(folder)
            for number in range(count):
                shutil.copy(f"{self.small()}/{number}", folder)
        return folder

    def data_url(self, size):
        """A file with a `data:` URL."""
        path = f"{self.data}/data-url-{size}"
        if not os.path.exists(path):
            text = base64.b64encode(random.Random(4).randbytes(size)).decode()
            with open(path, "w") as file:
                file.write("data:application/octet-stream;base64," + text)
        return path

    def urls(self, origins, folder, count=10_000):
        """A file with URLs below a folder of these origins, one a line: all paths and queries differ, in random order."""
        path = self.lists.setdefault((*origins, folder, count), f"{self.data}/urls-{len(self.lists)}")
        if os.path.exists(path):
            return path
        source = random.Random(6)
        lines = [
            f"{origins[number % len(origins)]}{folder}users/{number}/{source.choice(WORDS)}-{source.randrange(1 << 32):08x}"
            f"?page={source.randrange(100)}&limit=20&since={source.randrange(1 << 31)}\n"
            for number in range(count)
        ]
        source.shuffle(lines)
        with open(path, "w") as file:
            file.writelines(lines)
        return path

    def json(self):
        """A file with 1 KB of JSON."""
        path = f"{self.data}/post.json"
        with open(path, "w") as file:
            file.write(json_text(1024))
        return path

    # Archives

    def make_many(self):
        """1 GiB in 20,000 members, of which every hundredth has 1 KiB."""
        if os.path.exists(self.many):
            return
        print("making an archive of 20,000 members", flush=True)
        source = random.Random(1)
        block = source.randbytes(MIB)
        with zipfile.ZipFile(self.many + ".new", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for number in range(MEMBERS):
                name = f"files/{number // 1000:03}/{number:06}.bin"
                size = 1024 if name in WANTED or number % 100 == 0 else 54_000
                start = source.randrange(len(block) - size)
                archive.writestr(name, block[start : start + size])
        os.rename(self.many + ".new", self.many)

    def many_digests(self):
        """The SHA-256 of the wanted members, and the size of the archive's directory."""
        self.make_many()
        with zipfile.ZipFile(self.many) as archive:
            return [digest(archive.read(name)) for name in WANTED], os.path.getsize(self.many) - archive.start_dir

    def make_large(self):
        """A member of 1 GiB that deflates to about a third; its SHA-256."""
        if not os.path.exists(f"{self.large}.sha256"):
            print("making an archive with a member of 1 GiB", flush=True)
            source = random.Random(2)
            words = [source.randbytes(source.randrange(2, 9)).hex().encode() for _ in range(4000)]
            sum_of_all = hashlib.sha256()
            with zipfile.ZipFile(self.large + ".new", "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
                with archive.open("large.txt", "w", force_zip64=True) as member:
                    left = GIB
                    while left > 0:
                        text = b" ".join(source.choices(words, k=100_000))[:left]
                        member.write(text)
                        sum_of_all.update(text)
                        left -= len(text)
            os.rename(self.large + ".new", self.large)
            with open(f"{self.large}.sha256", "w") as file:
                file.write(sum_of_all.hexdigest())
        with open(f"{self.large}.sha256") as file:
            return file.read()


def digest(data):
    return hashlib.sha256(data).hexdigest()
