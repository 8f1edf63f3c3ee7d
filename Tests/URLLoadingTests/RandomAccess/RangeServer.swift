import Foundation
import URLLoading
import URLLoadingTestServers

/// A server of one resource with byte ranges, which may tell lies about it.
final class RangeServer: Sendable {
  /// May change the answer to the so manieth request, counted from 1, wait, or answer by itself, and then throw ``Done``.
  typealias Change = @Sendable (Int, inout HTTPResponse, Connection) throws -> Void

  /// The connection's script has nothing more to do.
  struct Done: Error {}

  let server: ScriptedServer
  let body: Data

  init(
    count: Int = 200_000, tag: String? = "\"v1\"", modified: String? = nil, change: @escaping Change = { _, _, _ in }
  ) throws {
    let body = TestFiles.pattern(count: count, seed: 21)
    self.body = body
    let numbers = Watched(0)
    server = try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        let number = numbers.update { number in
          number += 1
          return number
        }
        var response = Self.answer(request, body, tag, modified)
        try change(number, &response, connection)
        try connection.send(response, to: request)
      }
    }
  }

  var url: URL { server.url("/resource.bin") }

  /// The `Range` fields of the requests so far.
  var ranges: [String] { server.requests.map { $0.fields["Range"] ?? "none" } }

  private static func answer(_ request: HTTPRequest, _ body: Data, _ tag: String?, _ modified: String?) -> HTTPResponse
  {
    var fields: HTTPFields = ["Accept-Ranges": "bytes"]
    fields["ETag"] = tag
    fields["Last-Modified"] = modified
    let condition = request.fields["If-Range"]
    guard let range = request.fields["Range"].flatMap(ByteRange.init(fieldValue:)),
      condition == nil || condition == tag || condition == modified
    else { return HTTPResponse(200, fields: fields, body: body) }
    switch range.selection(ofLength: Int64(body.count)) {
    case .whole: return HTTPResponse(200, fields: fields, body: body)
    case .partial(let part):
      fields["Content-Range"] = part.fieldValue
      return HTTPResponse(206, fields: fields, body: body[Int(part.firstByte)...Int(part.lastByte)])
    case .unsatisfiable(let length):
      fields["Content-Range"] = "bytes */\(length)"
      return HTTPResponse(416, fields: fields)
    }
  }
}

extension HTTPResponse {
  /// Sends the body in one chunk, so that no field announces its length.
  mutating func beChunked() {
    fields["Transfer-Encoding"] = "chunked"
    body = Data("\(String(body.count, radix: 16))\r\n".utf8) + body + Data("\r\n0\r\n\r\n".utf8)
  }
}

extension RandomAccessOptions {
  /// Small blocks, nothing read ahead.
  static func small(block: Int = 1000, cached: Int = 64_000, ahead: Int = 0, first: FirstRange = .beginning(1000))
    -> RandomAccessOptions
  {
    var options = RandomAccessOptions()
    options.blockSize = block
    options.maximumCachedBytes = cached
    options.maximumReadAhead = ahead
    options.firstRange = first
    return options
  }
}

extension RandomAccessReader {
  /// Reads with a call that blocks, on a thread of its own.
  func bytes(at offset: Int64, count: Int) async throws -> Data {
    try await onThread { try self.bytesBlocking(at: offset, count: count) }
  }

  func bytesBlocking(at offset: Int64, count: Int) throws -> Data {
    var data = Data(count: count)
    let read = try data.withUnsafeMutableBytes { try self.read(into: $0, at: offset) }
    return data.prefix(read)
  }
}

/// Runs what blocks on a thread of its own.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}
