/// Finds the file that a symbolic link leads to.
///
/// Mutable state: all of it, confined to the connection's thread.
final class RemoteLink {
  enum End {
    /// A path without a link at its end, and its attributes; nil where there is no file.
    case leads(to: [UInt8], FileAttributes?)
    /// The file may exist, but the server does not say where.
    case hidden(FileAttributes)
    case failed(SFTPFailure)
  }

  /// As many as Linux follows.
  private static let largestHopCount = 40

  private let path: [UInt8]
  private let client: SFTPClient
  private let reply: (End) -> Void
  private var target: [UInt8]
  private var hopCount = 0

  /// - Parameter reply: called once.
  init(_ path: [UInt8], client: SFTPClient, _ reply: @escaping (End) -> Void) {
    self.path = path
    self.client = client
    self.reply = reply
    target = path
  }

  func follow() {
    client.realpath(path) { [self] result in
      if case .success(let real) = result { target = real }
      look()
    }
  }

  /// Checks the target, since many servers' `realpath` follows no links.
  private func look() {
    client.lstat(target) { [self] result in
      switch result {
      case .success(let attributes) where attributes.kind == .symbolicLink: hop()
      case .success(let attributes): reply(.leads(to: target, attributes))
      case .failure(let failure) where failure.status == nil: reply(.failed(failure))
      case .failure: lookThroughLink()
      }
    }
  }

  private func hop() {
    hopCount += 1
    guard hopCount <= Self.largestHopCount else { return lookThroughLink() }
    client.readlink(target) { [self] result in
      guard case .success(let text) = result, !text.isEmpty else { return lookThroughLink() }
      target = text.first == UInt8(ascii: "/") ? text : RemotePath.sibling(of: target) { _ in text }
      look()
    }
  }

  /// Asks for the target's attributes by the link: its text may be relative to another root.
  private func lookThroughLink() {
    client.stat(path) { [self] result in
      switch result {
      case .success(let attributes): reply(.hidden(attributes))
      case .failure(let failure) where failure.status == .noSuchFile: reply(.leads(to: target, nil))
      case .failure(let failure) where failure.status == nil: reply(.failed(failure))
      case .failure: reply(.hidden(FileAttributes()))
      }
    }
  }
}
