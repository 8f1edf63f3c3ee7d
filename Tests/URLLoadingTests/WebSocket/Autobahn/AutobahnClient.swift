import Foundation

@testable import URLLoading

/// The client that the suite tests: sends each message back. The machine under test is all of it but that.
struct AutobahnClient {
  private var machine: WebSocketMachine
  private var reader: AutobahnReplyReader
  /// What has come back to the server.
  private(set) var replies: [AutobahnReply] = []
  /// The code of the close frame that ended the connection; 1005 for one without.
  private(set) var closeCode: Int?
  /// What the client has failed the connection for.
  private(set) var fault: WebSocketFault?

  /// As much as the suite's largest message, which is more than a task takes unless it is told to.
  static let largestMessage = 16 << 20

  /// - Parameters:
  ///   - compression: what was agreed on; nil for none.
  ///   - inflater: reads by the same agreement.
  init(compression: WebSocketCompression? = nil, inflater: AutobahnInflater? = nil) {
    machine = WebSocketMachine(maximumMessageSize: Self.largestMessage, compression: compression)
    reader = AutobahnReplyReader(inflater: inflater)
  }

  /// How many of its messages came compressed.
  var compressedMessages: Int { reader.compressedMessages }

  /// - Parameter step: how many bytes come at a time.
  mutating func receive(_ bytes: Data, step: Int = .max) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(step)
      rest = rest.dropFirst(piece.count)
      piece.withUnsafeBytes { machine.receive($0) }
      echo()
    }
  }

  /// - Returns: what has come back since the last time.
  mutating func takeReplies() -> [AutobahnReply] { exchange(&replies, with: []) }

  private mutating func echo() {
    while let event = machine.nextEvent() {
      switch event {
      case .message(let message): machine.send(message)
      case .pong: break
      case .closed(let code, _): closeCode = Int(code)
      case .failed(let fault): self.fault = fault
      }
    }
    if let output = machine.takeOutput() { replies += reader.read(output) }
  }
}
