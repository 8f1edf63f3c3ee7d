import Foundation

/// A server of resumable uploads (draft-ietf-httpbis-resumable-upload), which does wrong what it is told to.
///
/// Mutable state: in two values that guard themselves.
package final class UploadServer: Sendable {
  /// What the server does.
  package struct Script: Sendable {
    /// Fields of the interim response that announces an upload; nil where the server knows nothing of all this. `{}` in a value
    /// stands for the path of the upload.
    package var announcement: [(String, String)]? = [("Location", "{}"), ("Upload-Draft-Interop-Version", "8")]
    /// After how many bytes of its body each request in turn is cut off; nil for one that is not.
    package var cuts: [Int?] = []
    /// Runs before a connection is cut, and may wait for what the client has to have seen by then.
    package var beforeCut: @Sendable () -> Void = {}
    /// Runs before a request is dealt with, with its method and how many of that came, and may hold it.
    package var beforeAnswer: @Sendable (String, Int) -> Void = { _, _ in }
    /// After how many bytes the server says how much it has; nil for never.
    package var reportsAfter: Int?
    /// The answers to the questions for the offset, in turn, in place of the true one; nil for that.
    package var offsets: [String?] = []
    /// The same for parts.
    package var parts: [String?] = []
    /// What a request whose whole body came is answered with.
    package var result = HTTPResponse(fields: ["Upload-Complete": "?1"], text: "stored")
    /// Whether an upload that is whole says so.
    package var tellsCompleteness = true
    /// The value of `Upload-Limit` in answers to questions.
    package var limit: String?

    package init() {}
  }

  /// What the server has of a body.
  package struct Upload: Sendable, Equatable {
    package var bytes = Data()
    package var isComplete = false
    package var isCancelled = false
    /// As the client has said.
    package var length: Int?
    /// How many requests were about it: those before the last one have no say any more (section 4.6).
    var turn = 0
  }

  private struct State: Sendable {
    var script: Script
    var uploads: [String: Upload] = [:]
    /// Bodies of requests that asked for nothing.
    var plain: [Data] = []
    var counts: [String: Int] = [:]
  }

  private let server: ScriptedServer
  private let state: Watched<State>

  /// Starts a server on a free port.
  package init(_ configure: (inout Script) -> Void = { _ in }) throws {
    var script = Script()
    configure(&script)
    let state = Watched(State(script: script))
    self.state = state
    server = try ScriptedServer { connection in
      while let request = try connection.readRequestHead() {
        guard try Exchange(connection: connection, request: request, state: state).answer() else { return }
      }
    }
  }

  /// A URL of this server.
  package func url(_ path: String = "/files") -> URL { server.url(path) }

  /// The requests that came.
  package var requests: [HTTPRequest] { server.requests }

  /// Their methods.
  package var methods: [String] { server.requests.map(\.method) }

  /// All uploads, in no order.
  package var uploads: [Upload] { state.read { Array($0.uploads.values) } }

  /// The only upload; nil where there is none, or another.
  package var upload: Upload? { uploads.count == 1 ? uploads[0] : nil }

  /// Bodies that came without a question for resumption.
  package var plainBodies: [Data] { state.read { $0.plain } }

  /// Changes what the server does from the next request on.
  package func change(_ change: (inout Script) -> Void) { state.update { change(&$0.script) } }

  /// Waits until the server has so many bytes of all uploads.
  package func waitForBytes(_ count: Int) async -> Bool {
    await state.wait { $0.uploads.values.reduce(0) { $0 + $1.bytes.count } >= count }
  }

  /// Waits until some upload was cancelled.
  package func waitForCancellation() async -> Bool {
    await state.wait { $0.uploads.values.contains { $0.isCancelled } }
  }

  /// One request and its answer.
  private struct Exchange {
    let connection: Connection
    let request: HTTPRequest
    let state: Watched<State>

    /// - Returns: whether the connection goes on.
    func answer() throws -> Bool {
      let (hold, count, turn) = state.update { state in
        state.counts[request.method, default: 0] += 1
        state.uploads[request.path]?.turn += 1
        return (state.script.beforeAnswer, state.counts[request.method] ?? 0, state.uploads[request.path]?.turn ?? 0)
      }
      hold(request.method, count)
      switch request.method {
      case "HEAD": return try tell()
      case "PATCH" where request.path.hasPrefix("/uploads/"): return try append(turn)
      case "DELETE":
        state.update { $0.uploads[request.path]?.isCancelled = true }
        try connection.send(HTTPResponse(204))
        return true
      default: return try create()
      }
    }

    private func create() throws -> Bool {
      let announcement = state.read { $0.script.announcement }
      guard request.fields["Upload-Complete"] != nil, let announcement else {
        let body = try connection.readBody(of: request)
        state.update { $0.plain.append(body) }
        try connection.send(HTTPResponse(text: "stored"))
        return true
      }
      let path = state.update { state in
        let path = "/uploads/\(state.uploads.count + 1)"
        state.uploads[path] = Upload(length: request.fields["Upload-Length"].flatMap { Int($0) })
        return path
      }
      try announce(announcement.map { ($0.0, $0.1.replacingOccurrences(of: "{}", with: path)) })
      return try take(path, turn: 0)
    }

    private func announce(_ fields: [(String, String)]) throws {
      let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
      try connection.send("HTTP/1.1 104 Upload Resumption Supported\r\n\(lines)\r\n")
    }

    /// Takes the body of a request, and answers.
    private func take(_ path: String, turn: Int) throws -> Bool {
      let (cut, reportsAfter, beforeCut) = state.update { state in
        let cut = state.script.cuts.isEmpty ? nil : state.script.cuts.removeFirst()
        return (cut, state.script.reportsAfter, state.script.beforeCut)
      }
      var taken = 0
      var reported = 0
      let whole = request.fields["Content-Length"].flatMap { Int($0) }
      func keep(_ bytes: Data) throws {
        taken += bytes.count
        let count = try state.update { state in
          guard state.uploads[path]?.turn == turn else { throw TestServerError("another request is about the upload") }
          state.uploads[path]?.bytes += bytes
          return state.uploads[path]?.bytes.count ?? 0
        }
        guard let reportsAfter, count - reported >= reportsAfter else { return }
        reported = count
        try announce([("Upload-Draft-Interop-Version", "8"), ("Upload-Offset", String(count))])
      }
      if let whole {
        while taken < min(whole, cut ?? .max) {
          let piece = try connection.readSome(min(65_536, min(whole, cut ?? .max) - taken))
          guard !piece.isEmpty else { return false }
          try keep(piece)
        }
      } else {
        try keep(try connection.readChunkedBody())
      }
      if cut != nil {
        beforeCut()
        connection.reset()
        return false
      }
      let isLast = request.fields["Upload-Complete"] == "?1"
      let (result, tells) = try state.update { state in
        guard state.uploads[path]?.turn == turn else { throw TestServerError("another request is about the upload") }
        if isLast { state.uploads[path]?.isComplete = true }
        return (state.script.result, state.script.tellsCompleteness)
      }
      guard isLast else {
        try connection.send(HTTPResponse(204, fields: ["Upload-Complete": "?0"]))
        return true
      }
      var response = result
      if !tells { response.fields["Upload-Complete"] = nil }
      try connection.send(response)
      return true
    }

    /// Answers the question for the offset.
    private func tell() throws -> Bool {
      let (upload, override, limit) = state.update { state -> (Upload?, String?, String?) in
        let override = state.script.offsets.isEmpty ? nil : state.script.offsets.removeFirst()
        return (state.uploads[request.path], override, state.script.limit)
      }
      if let override { return try sendRaw(override) }
      guard let upload, !upload.isCancelled else {
        try connection.send(HTTPResponse(404), to: request)
        return true
      }
      var fields: HTTPFields = [
        "Upload-Offset": String(upload.bytes.count), "Upload-Complete": upload.isComplete ? "?1" : "?0",
        "Cache-Control": "no-store",
      ]
      if let length = upload.length { fields["Upload-Length"] = String(length) }
      if let limit { fields["Upload-Limit"] = limit }
      try connection.send(HTTPResponse(204, fields: fields), to: request)
      return true
    }

    private func append(_ turn: Int) throws -> Bool {
      let (upload, override) = state.update { state -> (Upload?, String?) in
        let override = state.script.parts.isEmpty ? nil : state.script.parts.removeFirst()
        return (state.uploads[request.path], override)
      }
      if let override {
        _ = try connection.readBody(of: request)
        return try sendRaw(override)
      }
      guard let upload else {
        try connection.send(HTTPResponse(404), to: request)
        return false
      }
      guard request.fields["Upload-Offset"] == String(upload.bytes.count),
        request.fields["Content-Type"] == "application/partial-upload", !upload.isComplete
      else {
        _ = try connection.readBody(of: request)
        try connection.send(HTTPResponse(409, fields: ["Upload-Offset": String(upload.bytes.count)]))
        return true
      }
      return try take(request.path, turn: turn)
    }

    /// Sends what a script has; nothing at all for an empty text, and closes.
    private func sendRaw(_ text: String) throws -> Bool {
      guard !text.isEmpty else {
        connection.reset()
        return false
      }
      try connection.send(text)
      return true
    }
  }
}
