import Glibc

/// The configuration files of `NginxServer`.
struct NginxConfiguration {
  let directory: String
  let root: String
  let ports: [NginxServer.Listener: UInt16]
  let certificates: TestCertificates
  let modules: [String]
  let requestsPerConnection: Int
  let directives: String
  let locations: String

  var text: String {
    """
    \(modules.map { "load_module /usr/lib/nginx/modules/\($0).so;" }.joined(separator: "\n"))
    \(geteuid() == 0 ? "user root;" : "")
    daemon off;
    worker_processes 1;
    pid \(directory)/nginx.pid;
    error_log stderr notice;
    events { worker_connections 4096; }
    http {
      types {
        text/plain txt;
        text/html html;
        application/json json;
        application/octet-stream bin;
        application/zip zip;
        application/gzip gz;
        image/png png;
      }
      charset_types text/html;
      charset utf-8;
      log_format test '$request_method $request_uri $status $server_protocol $connection "$http_range" $bytes_sent';
      access_log \(directory)/access.log test;
      client_body_temp_path \(directory)/body;
      proxy_temp_path \(directory)/proxy;
      fastcgi_temp_path \(directory)/fastcgi;
      uwsgi_temp_path \(directory)/uwsgi;
      scgi_temp_path \(directory)/scgi;
      client_max_body_size 0;
      sendfile on;
      tcp_nopush on;
      keepalive_requests \(requestsPerConnection);
      keepalive_timeout 120s;
      absolute_redirect off;
      large_client_header_buffers 4 32k;
      ssl_session_cache shared:tls:1m;
      map $arg_to $redirect_target { default $arg_to; '' /small.txt; }
      map $arg_rate $rate { default $arg_rate; '' 100k; }
      \(directives)
      \(NginxServer.Listener.allCases.compactMap(server).joined(separator: "\n  "))
    }
    """
  }

  var locationsText: String {
    """
    root \(root);
    etag on;
    location /redirect/301 { return 301 $redirect_target; }
    location /redirect/302 { return 302 $redirect_target; }
    location /redirect/303 { return 303 $redirect_target; }
    location /redirect/307 { return 307 $redirect_target; }
    location /redirect/308 { return 308 $redirect_target; }
    location /redirect/absolute { return 302 $scheme://$http_host$redirect_target; }
    location /redirect/loop { return 302 /redirect/loop; }
    \(Self.statuses.map { "location = /status/\($0) { return \($0) 'status \($0)\\n'; }" }.joined(separator: "\n"))
    location = /status/204 { return 204; }
    location /echo {
      default_type text/plain;
      return 200 '\(Self.echo)';
    }
    location /basic/ {
      alias \(root)/;
      auth_basic 'Test realm';
      auth_basic_user_file \(directory)/passwords;
    }
    location /gzip/ {
      alias \(root)/;
      gzip on;
      gzip_types *;
      gzip_min_length 1;
      gzip_vary on;
    }
    location /noranges/ { alias \(root)/; max_ranges 0; }
    location /novalidators/ { alias \(root)/; etag off; if_modified_since off; add_header Last-Modified ''; }
    location /slow/ { alias \(root)/; limit_rate $rate; }
    location /upload/ {
      root \(directory)/uploads;
      dav_methods PUT DELETE;
      create_full_put_path on;
    }
    location = /cookies/set {
      add_header Set-Cookie 'first=1; Path=/';
      add_header Set-Cookie 'second=2; Path=/cookies; HttpOnly';
      return 200 'set\\n';
    }
    location = /cookies/echo {
      default_type text/plain;
      return 200 '$http_cookie';
    }
    \(locations)
    """
  }

  private func server(_ listener: NginxServer.Listener) -> String? {
    guard let port = ports[listener] else { return nil }
    let address = listener == .httpIPv6 ? "[::1]" : "127.0.0.1"
    let identity: TestCertificates.Identity
    switch listener {
    case .http, .httpIPv6:
      return "server { listen \(address):\(port) backlog=4096; include \(directory)/locations.conf; }"
    case .https, .httpsHTTP1, .httpsClientCertificate: identity = certificates.server
    case .httpsExpired: identity = certificates.expired
    case .httpsWrongHost: identity = certificates.wrongHost
    case .httpsSelfSigned: identity = certificates.selfSigned
    }
    let clientCertificate =
      listener == .httpsClientCertificate
      ? "ssl_client_certificate \(certificates.authority.path); ssl_verify_client on;" : ""
    return """
      server {
          listen \(address):\(port) ssl \(listener == .httpsHTTP1 ? "" : "http2") backlog=4096;
          ssl_certificate \(identity.certificate.path);
          ssl_certificate_key \(identity.key.path);
          \(clientCertificate)
          include \(directory)/locations.conf;
        }
      """
  }

  private static let statuses = [
    200, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 412, 413, 416, 418, 421, 425, 429, 451, 500, 501, 502, 503,
    504,
  ]

  private static let echo = [
    "method: $request_method", "target: $request_uri", "protocol: $server_protocol", "host: $http_host",
    "user-agent: $http_user_agent", "accept: $http_accept", "accept-encoding: $http_accept_encoding",
    "accept-language: $http_accept_language", "content-type: $http_content_type",
    "content-length: $http_content_length", "transfer-encoding: $http_transfer_encoding", "cookie: $http_cookie",
    "authorization: $http_authorization", "referer: $http_referer", "range: $http_range", "x-test: $http_x_test",
    "client: $ssl_client_s_dn", "connection: $connection",
  ].map { $0 + "\\n" }.joined()
}
