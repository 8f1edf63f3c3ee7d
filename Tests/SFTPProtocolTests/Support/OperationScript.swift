import Testing
import URLLoading

@testable import SFTPProtocol

/// An operation whose server answers as the test says, step by step: gives the answers, and notes what was asked for and what the
/// load was told.
///
/// Mutable state: all; used by one thread.
final class OperationScript: @unchecked Sendable {
  typealias Request = (type: UInt8, identifier: UInt32, readCount: UInt32?)

  let client = SFTPClient()
  private(set) var received: [UInt8] = []
  private(set) var failure: URLError?
  private(set) var hasFinished = false
  private(set) var hasBeenLost = false
  /// Makes the operation that goes on when the connection was lost.
  private(set) var retry: RemoteOperation.Make?
  private var operation: RemoteOperation?

  /// Begins an operation on `sftp://host/`, and the name.
  /// - Parameter extensions: what the server announces.
  init(
    name: String = "f", extensions: [(String, String)] = [],
    _ make: (URL, RemoteServer, @escaping RemoteOperation.Report) throws -> RemoteOperation
  ) throws {
    client.channelDidOpen()
    _ = requests()
    answer(.version(3, extensions))
    let url = try #require(URL(string: "sftp://host/\(name)"))
    let operation = try make(url, RemoteServer(client: client, perform: { $0() })) { [unowned self] event in
      switch event {
      case .bytes(let bytes): received += bytes
      case .finished: hasFinished = true
      case .failed(let error): failure = error
      case .lost(_, _, let again): (hasBeenLost, retry) = (true, again)
      default: break
      }
    }
    self.operation = operation
    operation.start()
  }

  /// Types and identifiers of the requests that wait to be sent, and a read's count.
  func requests() -> [Request] {
    var result: [Request] = []
    var rest = Array(client.bytesToSend)[...]
    client.channelDidSend(rest.count)
    while rest.count >= 9 {
      let length = Int(Self.word(rest))
      let packet = rest.dropFirst(4).prefix(length)
      result.append(
        (packet.first ?? 0, Self.word(packet.dropFirst()), packet.first == 5 ? Self.word(packet.suffix(4)) : nil))
      rest = rest.dropFirst(4 + length)
    }
    return result
  }

  func answer(_ packet: PacketBytes) {
    packet.framed.withUnsafeBytes { client.channelDidReceive($0) }
  }

  private static func word(_ bytes: some Collection<UInt8>) -> UInt32 {
    bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }
}
