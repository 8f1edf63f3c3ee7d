import Foundation
import URLLoadingTestServers

/// Answers what the snippets ask of servers that nginx is not: an event stream, and forms.
enum SnippetServer {
  private static let lazy = LazyServer { try ScriptedServer(serve) }

  /// A server for all snippets.
  static var shared: ScriptedServer {
    get async throws { try await lazy.server }
  }

  private static func serve(_ connection: Connection) throws {
    while let request = try connection.readRequest() {
      switch request.path {
      case "/events": return try sendEvents(to: connection)
      case "/form": try connection.send(HTTPResponse(fields: ["Content-Type": "application/json"], body: form(request)))
      default: try connection.send(HTTPResponse(404))
      }
    }
  }

  /// Events as servers write them, in pieces that end anywhere; the stream stays open.
  private static func sendEvents(to connection: Connection) throws {
    try connection.send(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nCache-Control: no-store\r\n\r\n"
    )
    let text = """
      : a comment

      event: token
      id: 1
      data: {"delta": "Hello"}

      data: {"delta": ", "}\r
      \r
      data: {"delta": "wörld"}

      data: [DONE]


      """
    let bytes = Data(text.utf8)
    // Inside of a line, and of a character.
    let middle = (bytes.firstIndex(of: 0xC3) ?? bytes.startIndex) + 1
    for piece in [bytes[..<20], bytes[20..<middle], bytes[middle...]] { try connection.sendChunk(Data(piece)) }
    _ = connection.waitForPeerClose()
  }

  /// What a form has (RFC 7578): its fields, and name, type and size of its files.
  static func form(_ request: HTTPRequest) throws -> Data {
    guard let boundary = request.fields["Content-Type"]?.components(separatedBy: "boundary=").last else {
      throw TestServerError("not a form")
    }
    var fields: [String: String] = [:]
    var rest = request.body
    let delimiter = Data("--\(boundary)\r\n".utf8)
    let end = Data("\r\n--\(boundary)".utf8)
    while let start = rest.range(of: delimiter), let stop = rest.range(of: end, in: start.upperBound..<rest.endIndex),
      let head = rest.range(of: Data("\r\n\r\n".utf8), in: start.upperBound..<stop.lowerBound)
    {
      let lines = String(decoding: rest[start.upperBound..<head.lowerBound], as: UTF8.self)
      let content = rest[head.upperBound..<stop.lowerBound]
      if let file = parameter("filename", in: lines) {
        let type = lines.components(separatedBy: "Content-Type: ").last ?? "-"
        fields[parameter("name", in: lines) ?? ""] = "\(file), \(type), \(content.count) bytes"
      } else {
        fields[parameter("name", in: lines) ?? ""] = String(decoding: content, as: UTF8.self)
      }
      rest = rest[(stop.lowerBound + 2)...]
    }
    return try JSONSerialization.data(withJSONObject: fields, options: .sortedKeys)
  }

  private static func parameter(_ name: String, in lines: String) -> String? {
    guard let start = lines.range(of: " \(name)=\"") else { return nil }
    return String(lines[start.upperBound...].prefix { $0 != "\"" })
  }
}
