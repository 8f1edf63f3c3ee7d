"""What nginx serves, and where."""

import os

from fixtures import json_text

# What lists directories by WebDAV, where Debian has it.
DAV_MODULE = "/usr/lib/nginx/modules/ngx_http_dav_ext_module.so"
HAS_DAV = os.path.exists(DAV_MODULE)
PROPFIND = "dav_ext_methods PROPFIND OPTIONS;" if HAS_DAV else ""
# Beside type, length, date and validators.
FIELDS = {
    "Cache-Control": "no-store", "Content-Language": "en", "Vary": "Accept-Encoding", "X-Request-ID": "$http_x_request_id",
    "Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "SAMEORIGIN",
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains", "Referrer-Policy": "strict-origin-when-cross-origin",
    "Server-Timing": "app;dur=12.3",
}
MANY = (
    "".join(f"add_header {name} '{value}'; " for name, value in FIELDS.items())
    + "if ($http_x_request_id = '') { return 400; }"
)
# What may be kept is the same, but for how long, and a request's own field does not come back.
KEPT = MANY.replace("'no-store'", "'max-age=86400'").replace("add_header X-Request-ID '$http_x_request_id'; ", "")
LOCATIONS = f"""
  location /put/ {{ dav_methods PUT DELETE MKCOL COPY MOVE; {PROPFIND} client_max_body_size 0; }}
  location /entries/ {{ {PROPFIND} }}
  location = / {{ {PROPFIND} }} location = /entries {{ {PROPFIND} }} location = /put {{ {PROPFIND} }}
  location /once/1024 {{ add_header Cache-Control no-store; try_files /1024 =404; }}
  location /of/1024/ {{ {MANY} try_files /1024 =404; }}
  location /of/100000/ {{ {MANY} try_files /100000 =404; }}
  location /kept/1024/ {{ {KEPT} try_files /1024 =404; }}
  location /kept/100000/ {{ {KEPT} try_files /100000 =404; }}
  location /json/ {{ {MANY} default_type application/json;
    if ($request_method != POST) {{ return 405; }}
    if ($content_type != application/json) {{ return 415; }}
    if ($content_length != 1024) {{ return 400; }}
    return 200 '{json_text(1024)}'; }}
"""


def listen(ports, options=""):
    return " ".join(f"listen 127.0.0.1:{port} {options} backlog=4096;" for port in ports)


def configuration(folder, data, ports, access_log):
    """Servers at the `ports` of these names:

    - `http`: the files in `data`. A file of N bytes is `/N`, and has any number of other URLs below `/of/N/`; their requests need a
      field `X-Request-ID`, their responses have ten fields more. Below `/json/` 1 KB of JSON is taken by POST, and sent.
      Below `/kept/N/` is the same for caches to keep; `/once/1024` is a file that they may not keep.
    - `caching`: what is below `/kept/` of the first, from nginx's own cache.
    - `https`: the same by HTTP/2.
    - `closing`: the same by HTTP/1.1 with TLS 1.2; each connection is closed after its first response. nginx keeps no TLS sessions: clients
      have tickets of theirs.
    - `closing newest`: the same with TLS 1.3.
    - `logged`: the archives in `folder`, with a log of what was sent.
    """
    user = "user root;" if os.geteuid() == 0 else ""
    temporary = " ".join(
        f"{name}_temp_path {data}/nginx-{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    module = f"load_module {DAV_MODULE};" if HAS_DAV else ""
    return f"""{module} daemon off; {user} worker_processes 1; worker_rlimit_nofile 65536;
      pid {folder}/nginx.pid; error_log {folder}/error.log;
      events {{ worker_connections 16384; }}
      http {{
        access_log off; sendfile on; keepalive_requests 100000000; {temporary} root {data}/www;
        ssl_certificate {folder}/server.pem; ssl_certificate_key {folder}/server.key;
        server {{ {listen(ports["http"])} {LOCATIONS} }}
        server {{ {listen(ports["https"], "ssl http2")} {LOCATIONS} http2_max_concurrent_streams 256; }}
        proxy_cache_path {data}/nginx-cache levels=1:2 keys_zone=kept:64m max_size=8g inactive=1d use_temp_path=off;
        server {{ {listen(ports["caching"])} location / {{ proxy_cache kept; proxy_cache_valid 1d;
          proxy_pass http://127.0.0.1:{ports["http"][0]}; }} }}
        server {{ {listen(ports["closing"], "ssl")} {LOCATIONS} keepalive_timeout 0; ssl_protocols TLSv1.2; }}
        server {{ {listen(ports["closing newest"], "ssl")} {LOCATIONS} keepalive_timeout 0; ssl_protocols TLSv1.3; }}
        log_format bytes '$request_method $body_bytes_sent';
        server {{ {listen(ports["logged"])} root {folder}/archives;
          access_log {access_log} bytes; location /whole/ {{ alias {folder}/archives/; max_ranges 0; }} }}
      }}"""
