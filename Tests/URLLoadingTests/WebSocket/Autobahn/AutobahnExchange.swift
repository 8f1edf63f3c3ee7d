import Foundation
import Testing

@testable import URLLoading

/// A case of sections 12 and 13: compressed messages, the next when the one before has come back.
struct AutobahnExchange: Sendable, CustomTestStringConvertible {
  let number: String
  let agreement: AutobahnAgreement
  let data: AutobahnTestData
  /// The bytes of a message.
  let length: Int
  /// The bytes of compressed payload that a frame has at most; nil for one frame a message.
  let fragment: Int?

  var testDescription: String { number + (agreement.isOfCase ? "" : " with \(agreement.answer)") }

  /// The lengths and fragments of cases 1 to 18 of a section.
  static let sizes: [(length: Int, fragment: Int?)] =
    [16, 64, 256, 1 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10].map { ($0, nil) }
    + [8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10].map { ($0, 256) }
    + [1 << 10, 4 << 10, 32 << 10].map { (128 << 10, $0) }

  static func section(_ section: String, _ agreement: AutobahnAgreement, _ data: AutobahnTestData) -> [AutobahnExchange]
  {
    sizes.enumerated().map { index, size in
      AutobahnExchange(
        number: "\(section).\(index + 1)", agreement: agreement, data: data, length: size.length,
        fragment: size.fragment)
    }
  }

  /// The suite sends 1,000; here it is 512 KiB in all, and four at least, unless the environment has `URL_LOADING_AUTOBAHN_MESSAGES`.
  var count: Int { Self.askedCount ?? min(1_000, max(4, (512 << 10) / length)) }

  private static let askedCount = ProcessInfo.processInfo.environment["URL_LOADING_AUTOBAHN_MESSAGES"].flatMap {
    Int($0)
  }

  func expectToPass() throws {
    let server = try #require(
      AutobahnDeflater(windowBits: agreement.serverWindowBits ?? 15, keepsContext: agreement.serverKeepsContext))
    let inflater = AutobahnInflater(
      windowBits: agreement.clientWindowBits ?? 15, keepsContext: agreement.clientKeepsContext)
    var client = AutobahnClient(compression: try WebSocketCompression(agreedBy: agreement.answer), inflater: inflater)
    for index in 0..<count {
      let message = data.message(from: index * length, length: length)
      let payload = try #require(server.compress(message))
      let first: UInt8 = 0x40 | (data.isText ? 0x01 : 0x02)
      let frames = AutobahnCase.fragments(first, payload, size: fragment ?? .max)
      client.receive(AutobahnCase.joined(frames))
      let replies = client.takeReplies()
      let isEcho = replies == [data.isText ? .text(message) : .binary(message)]
      #expect(isEcho, "\(index): \(replies), \(client.fault?.words ?? "")")
      if !isEcho { return }
    }
    // Short messages go as they are, and so do all where zlib has no window of 256 bytes.
    let compresses = length >= WebSocketDeflater.shortestMessage && agreement.clientWindowBits != 8
    #expect(client.compressedMessages == (compresses ? count : 0))
    client.receive(WebSocketPeer.close(1000))
    #expect(client.replies == [.close(1000)])
  }
}

/// The parameters that a server answers a client's offer with (RFC 7692, section 7.1).
struct AutobahnAgreement: Sendable {
  var serverKeepsContext = true
  var clientKeepsContext = true
  /// nil where the answer does not say.
  var serverWindowBits: Int?
  var clientWindowBits: Int?
  /// Whether the suite's server answers so.
  var isOfCase = true

  /// `Sec-WebSocket-Extensions`.
  var answer: String {
    var words = ["permessage-deflate"]
    if !serverKeepsContext { words.append("server_no_context_takeover") }
    if let serverWindowBits { words.append("server_max_window_bits=\(serverWindowBits)") }
    if !clientKeepsContext { words.append("client_no_context_takeover") }
    if let clientWindowBits { words.append("client_max_window_bits=\(clientWindowBits)") }
    return words.joined(separator: "; ")
  }
}
