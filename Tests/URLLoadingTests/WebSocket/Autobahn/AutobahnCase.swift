import Foundation
import Testing

@testable import URLLoading

/// A case of the suite: what its server sends, and what it wants back.
struct AutobahnCase: Sendable, CustomTestStringConvertible {
  /// How the frames are cut into what comes at a time.
  enum Chops {
    case together
    case frameByFrame
    case bytes(Int)
  }

  enum End {
    /// When it has what it wants, the server closes with 1000, and the client answers with the same.
    case clean
    /// The server's frames have a close frame; this is the answer's code, and nothing comes after it.
    case closed(Int?)
    /// The client fails the connection with this code.
    case failed(Int)
  }

  let number: String
  let frames: [Data]
  let chops: Chops
  let replies: [AutobahnReply]
  let end: End

  var testDescription: String { number }

  init(
    _ number: String, _ frames: [Data], _ chops: Chops = .together, replies: [AutobahnReply] = [], end: End = .clean
  ) {
    self.number = number
    self.frames = frames
    self.chops = chops
    self.replies = replies
    self.end = end
  }

  /// Plays it.
  func expectToPass() {
    var client = AutobahnClient()
    switch chops {
    case .together: client.receive(Self.joined(frames))
    case .frameByFrame: for frame in frames { client.receive(frame) }
    case .bytes(let count): for frame in frames { client.receive(frame, step: count) }
    }
    if case .clean = end {
      #expect(client.fault == nil && client.closeCode == nil)
      client.receive(WebSocketPeer.close(1000))
    }
    let expected = replies + [.close(lastCode)]
    let isExpected = client.replies == expected
    #expect(isExpected, "\(client.replies) in place of \(expected)")
    if case .failed(let code) = end {
      #expect(client.fault.map { Int($0.code) } == code)
    } else {
      #expect(client.fault == nil)
      #expect(client.closeCode == lastCode ?? 1005)
    }
  }

  private var lastCode: Int? {
    switch end {
    case .clean: 1000
    case .closed(let code): code
    case .failed(let code): code
    }
  }
}

extension AutobahnCase {
  /// A frame's bytes.
  /// - Parameter first: FIN, the reserved bits and the opcode.
  static func frame(_ first: UInt8, _ payload: String = "") -> Data {
    WebSocketPeer.frame(first, Data(payload.utf8))
  }

  /// - Returns: the frames in a row; `joined()` goes byte by byte, which is slow for large ones.
  static func joined(_ frames: [Data]) -> Data {
    frames.reduce(into: Data()) { $0.append($1) }
  }

  /// The frames of a message in fragments.
  /// - Parameters:
  ///   - first: the reserved bits and the opcode of the first.
  ///   - size: the bytes of each but the last.
  static func fragments(_ first: UInt8, _ message: Data, size: Int) -> [Data] {
    guard message.count > size else { return [WebSocketPeer.frame(0x80 | first, message)] }
    return stride(from: 0, to: message.count, by: size).map { start in
      let opcode = start == 0 ? first : 0
      let last: UInt8 = start + size >= message.count ? 0x80 : 0
      return WebSocketPeer.frame(last | opcode, Data(message.dropFirst(start).prefix(size)))
    }
  }
}
