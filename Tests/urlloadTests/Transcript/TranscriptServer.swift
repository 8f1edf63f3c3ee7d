import Foundation
import URLLoadingTestServers

/// The server of the transcript: a path for each thing that a server can do.
enum TranscriptServer {
  static func start() throws -> ScriptedServer {
    try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        if request.path == "/broken" {
          return try connection.send(
            "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nAccept-Ranges: bytes\r\nContent-Length: 9\r\n\r\n1234")
        }
        if request.path == "/silent" {
          _ = connection.waitForPeerClose(timeout: .seconds(20))
          return
        }
        try connection.send(answer(request), to: request)
      }
    }
  }

  private static func answer(_ request: HTTPRequest) -> HTTPResponse {
    switch request.path {
    case "/hello": return HTTPResponse(fields: ["Content-Type": "text/plain", "X-Second": "2"], text: "hello\n")
    case "/echo":
      var lines = ["\(request.method) \(request.target)"]
      let names = [
        "Content-Type", "Accept", "User-Agent", "Referer", "Cookie", "Range", "X-Test", "If-Modified-Since",
        "If-Unmodified-Since",
      ]
      for name in names {
        if let value = request.fields[name] { lines.append("\(name): \(value)") }
      }
      let body = String(decoding: request.body, as: UTF8.self).replacing("\r\n", with: "\n")
      return HTTPResponse(text: (lines + [body]).joined(separator: "\n").trimmingCharacters(in: .newlines) + "\n")
    case "/to/hello": return HTTPResponse.redirect(to: "/hello")
    case "/to/login": return HTTPResponse.redirect(to: "/login")
    case "/to/file": return HTTPResponse.redirect(to: "file:///etc/hostname")
    case "/to/unknown": return HTTPResponse.redirect(to: "nothing://x")
    case "/loop": return HTTPResponse.redirect(to: "/loop")
    case "/login":
      return request.fields["Authorization"] == "Basic bWU6cHc="
        ? HTTPResponse(text: "welcome\n")
        : HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"here\""], text: "who?\n")
    case "/cookie": return HTTPResponse(fields: ["Set-Cookie": "a=1; Path=/"], text: "cookie\n")
    case "/versioned":
      let fields: HTTPFields = ["ETag": "\"1\""]
      return request.fields["If-None-Match"] == "\"1\""
        ? HTTPResponse(304, fields: fields) : HTTPResponse(fields: fields, text: "versioned\n")
    case "/short": return HTTPResponse(416, fields: ["Content-Range": "bytes */6"], text: "no\n")
    case "/busy": return HTTPResponse(503, text: "busy\n")
    default: return HTTPResponse(404, text: "nothing here\n")
    }
  }
}
