"""An SSH server for what OpenSSH's sshd cannot do without PAM, and for lies: passwords, questions, stalls."""

import argparse
import asyncio
import time

import asyncssh

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, required=True)
parser.add_argument("--host-key", action="append", required=True)
parser.add_argument("--root", required=True)
parser.add_argument("--user", required=True)
parser.add_argument("--password", help="let in who knows it")
parser.add_argument("--answer", action="append", default=[], help="of keyboard-interactive; each is a question")
parser.add_argument("--question-name", help="over the questions, which are short then")
parser.add_argument("--authorized-keys")
parser.add_argument("--no-login", action="store_true", help="let everybody in")
parser.add_argument("--refuse", action="append", default=[], help="fstat, lstat of a missing file, rename, dot, exclusive")
parser.add_argument("--stall", default="", help="the phase in which nothing is answered any more: login, channel, service")
options = parser.parse_args()


async def forever():
    await asyncio.Event().wait()


class Server(asyncssh.SSHServer):
    rounds = 0

    def connection_made(self, connection):
        print("connection", connection.get_extra_info("client_version"), flush=True)

    async def begin_auth(self, username):
        print("begin", username, flush=True)
        if options.stall == "login":
            await forever()
        return not options.no_login

    def password_auth_supported(self):
        return options.password is not None

    def validate_password(self, username, password):
        right = username == options.user and password == options.password
        print("password", username, right, flush=True)
        return right

    def kbdint_auth_supported(self):
        return bool(options.answer)

    def get_kbdint_challenge(self, username, lang, submethods):
        self.rounds = 0
        return self.question()

    def question(self):
        if options.question_name:
            return (options.question_name, "", "", [("PIN: ", self.rounds > 0)])
        return ("Test name", "Test instruction", "", [(f"Question {self.rounds + 1}: ", self.rounds > 0)])

    def validate_kbdint_response(self, username, responses):
        right = list(responses) == [options.answer[self.rounds]] and username == options.user
        print("answer", username, right, flush=True)
        if not right:
            return False
        self.rounds += 1
        return True if self.rounds == len(options.answer) else self.question()

    async def session_requested(self):
        """Asked only where no factory is given, that is to stall."""
        print("session", flush=True)
        if options.stall == "channel":
            await forever()
        return StalledSession()


class StalledSession(asyncssh.SSHServerSession):
    def subsystem_requested(self, subsystem):
        print("service", flush=True)
        # There is nothing to await here: the whole server stalls.
        time.sleep(3600)
        return True


async def process(process):
    """Sends back what comes."""
    while data := await process.stdin.read(65536):
        process.stdout.write(data)
    process.exit(0)


class SFTPServer(asyncssh.SFTPServer):
    """Refuses what a server may refuse."""

    def open(self, path, pflags, attrs):
        name = path.rsplit(b"/", 1)[-1]
        print("open", path.decode(), pflags, flush=True)
        if "dot" in options.refuse and name.startswith(b"."):
            raise asyncssh.SFTPPermissionDenied("no name with a dot")
        if "exclusive" in options.refuse and pflags & asyncssh.FXF_EXCL:
            raise asyncssh.SFTPOpUnsupported("no such flag")
        return super().open(path, pflags, attrs)

    def fstat(self, file_obj):
        if "fstat" in options.refuse:
            raise asyncssh.SFTPOpUnsupported("no such request")
        return super().fstat(file_obj)

    def lstat(self, path):
        try:
            return super().lstat(path)
        except OSError:
            if "lstat" in options.refuse:
                raise asyncssh.SFTPFailure("something is wrong") from None
            raise

    def stat(self, path):
        try:
            return super().stat(path)
        except OSError:
            if "lstat" in options.refuse:
                raise asyncssh.SFTPFailure("something is wrong") from None
            raise

    def rename(self, oldpath, newpath):
        if "rename" in options.refuse:
            raise asyncssh.SFTPOpUnsupported("no such request")
        return super().rename(oldpath, newpath)

    def posix_rename(self, oldpath, newpath):
        if "rename" in options.refuse:
            raise asyncssh.SFTPOpUnsupported("no such request")
        return super().posix_rename(oldpath, newpath)


def sftp(channel):
    return SFTPServer(channel, chroot=options.root)


async def main():
    stalls = options.stall in ("channel", "service")
    await asyncssh.create_server(
        Server, "127.0.0.1", options.port, server_host_keys=options.host_key,
        process_factory=None if stalls else process, sftp_factory=None if stalls else sftp,
        authorized_client_keys=options.authorized_keys, encoding=None, login_timeout=600)
    print("ready", flush=True)
    await forever()


asyncio.run(main())
