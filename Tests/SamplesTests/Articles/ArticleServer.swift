import Foundation
import URLLoadingTestServers

/// `https://example.org` of the articles, and the proxy there.
enum ArticleServer {
  static let large = TestFiles.pattern(count: 1_000_000, seed: 29)
  private static let users = Data(#"[{"name": "Ada"}, {"name": "Grace"}]            "#.utf8) + Data("\n".utf8)

  /// A server, whose counters begin anew.
  static func start() throws -> ScriptedServer {
    let archive = try archive()
    let answers = Watched(0)
    return try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        switch request.path {
        case "/big.bin", "/slow.bin", "/breaks-off.bin":
          guard try sendLarge(request, to: connection) else { return }
        case "/silent":
          _ = connection.waitForPeerClose()
          return
        case "/data.zip": try connection.send(ranged(archive, request), to: request)
        case "/counted":
          answers.update { $0 += 1 }
          try connection.send(HTTPResponse(fields: ["Cache-Control": "max-age=60"], text: "answer \(answers.value)"))
        default: try connection.send(response(to: request), to: request)
        }
      }
    }
  }

  private static func response(to request: HTTPRequest) throws -> HTTPResponse {
    switch request.path {
    case "/users.json":
      return HTTPResponse(
        fields: ["Content-Type": "application/json", "ETag": "\"1\"", "Cache-Control": "max-age=60"], body: users)
    case "/lines.txt":
      return HTTPResponse(
        fields: ["Content-Type": "text/plain"], text: (1...1000).map { "line \($0)\n" }.joined())
    case "/moved": return .redirect(to: "/users.json")
    case "/api/photos": return HTTPResponse(text: "{}")
    case "/echo": return HTTPResponse(body: request.body)
    case "/echo-length": return HTTPResponse(text: "\(request.body.count)")
    case "/form":
      let form = try SnippetServer.form(request)
      return HTTPResponse(body: form)
    case "/fields":
      let usual = ["host", "user-agent", "accept-encoding", "accept-language", "connection", "content-length"]
      let fields = request.fields.list.filter { field in
        !usual.contains(field.name.lowercased()) && !(field.name == "Accept" && field.value == "*/*")
      }
      return HTTPResponse(text: fields.map { "\($0.name): \($0.value)" }.sorted().joined(separator: "\n"))
    case "/sets-cookie": return HTTPResponse(fields: ["Set-Cookie": "visit=1; Path=/"], text: "ok")
    case "/private":
      // me:secret
      guard request.fields["Authorization"] == "Basic bWU6c2VjcmV0" else {
        return HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"example\""])
      }
      return HTTPResponse(text: "welcome")
    case let path where path.hasPrefix("http://"): return HTTPResponse(text: "the proxy was asked for \(path)")
    default: return HTTPResponse(404)
    }
  }

  /// - Returns: whether the connection stays.
  private static func sendLarge(_ request: HTTPRequest, to connection: Connection) throws -> Bool {
    let response = ranged(large, request)
    guard request.path != "/big.bin", response.status == 200 else {
      try connection.send(response, to: request)
      return true
    }
    let bytes = response.encoded()
    // The beginning alone comes; the rest is for later requests.
    try connection.send(bytes.prefix(400_000))
    if request.path == "/slow.bin" { _ = connection.waitForPeerClose() }
    return false
  }

  private static func ranged(_ body: Data, _ request: HTTPRequest) -> HTTPResponse {
    let fields: HTTPFields = ["ETag": "\"29\"", "Accept-Ranges": "bytes", "Content-Type": "application/octet-stream"]
    guard let text = request.fields["Range"]?.dropFirst(6) else { return HTTPResponse(fields: fields, body: body) }
    let bounds = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    let start = bounds.first.flatMap { $0 } ?? max(0, body.count - (bounds.last.flatMap { $0 } ?? 0))
    let end =
      bounds.first.flatMap { $0 } == nil ? body.count - 1 : min(bounds.last.flatMap { $0 } ?? .max, body.count - 1)
    guard start <= end else { return HTTPResponse(416, fields: ["Content-Range": "bytes */\(body.count)"]) }
    var partial = fields
    partial["Content-Range"] = "bytes \(start)-\(end)/\(body.count)"
    return HTTPResponse(206, fields: partial, body: body[start...end])
  }

  /// A zip with one file, made by Python.
  private static func archive() throws -> Data {
    let folder = try TemporaryDirectory("article-archive")
    let file = folder.file("data.zip")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c", "import sys, zipfile; zipfile.ZipFile(sys.argv[1], 'w').writestr('a/b.csv', 'x,y\\n1,2')",
      file.path,
    ]
    try process.run()
    process.waitUntilExit()
    return try Data(contentsOf: file)
  }
}
