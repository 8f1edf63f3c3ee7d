import Foundation
import URLLoadingTestServers

/// A server, for programs that others start in this network.
enum BackgroundScenario {
  /// What `/long` has: two megabytes of the pattern 30.
  private static let body = TestFiles.pattern(count: 2_000_000, seed: 30)

  /// Serves while there is standard input, whose line `up` brings the network up, and `down` takes it down again. Says the port, what
  /// was asked for, and what the network is by then.
  static func serve(_ loopback: Loopback) async throws {
    let wasDown = AsyncEvent()
    let server = try await loopback.serving {
      try ScriptedServer.http { request in
        say("request \(request.method) \(request.target) \(request.body.count)")
        return request.path == "/long" ? Self.long(request, isWhole: wasDown.isSignalled) : HTTPResponse(text: "hello")
      }
    }
    // It ends with its last reference.
    defer { withExtendedLifetime(server) {} }
    say("port \(server.port)")
    while let line = readLine() {
      switch line {
      case "up": try loopback.comeUp()
      case "down":
        try loopback.goDown()
        wasDown.signal()
      default: throw TestServerError("what is \(line)?")
      }
      say("is \(line)")
    }
  }

  /// A long body, or what a range has of it.
  /// - Parameter isWhole: false for nothing after the half, although more was said to come.
  private static func long(_ request: HTTPRequest, isWhole: Bool) -> HTTPResponse {
    // "bytes=N-"
    let start = request.fields["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
    let end = isWhole ? body.count : max(start, body.count / 2)
    var fields: HTTPFields = ["ETag": "\"30\"", "Accept-Ranges": "bytes", "Content-Length": "\(body.count - start)"]
    if start > 0 { fields["Content-Range"] = "bytes \(start)-\(body.count - 1)/\(body.count)" }
    return HTTPResponse(start == 0 ? 200 : 206, fields: fields, body: body.subdata(in: start..<end))
  }
}
