"""A WebDAV server for tests: WsgiDAV on cheroot, with /public/ for all, and /private/ for a user with Basic logins."""

import argparse

from cheroot import wsgi
from wsgidav.wsgidav_app import WsgiDAVApp


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--user", required=True)
    parser.add_argument("--password", required=True)
    options = parser.parse_args()
    config = {
        "provider_mapping": {
            f"/{name}": {"root": f"{options.root}/{name}", "readonly": False} for name in ("public", "private")
        },
        "simple_dc": {
            "user_mapping": {"/public": True, "/private": {options.user: {"password": options.password}}},
        },
        "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False},
        "lock_storage": False,
        "property_manager": None,
        "verbose": 1,
        "logging": {"enable": True},
    }
    server = wsgi.Server(("127.0.0.1", options.port), WsgiDAVApp(config), numthreads=20)
    server.start()


if __name__ == "__main__":
    main()
