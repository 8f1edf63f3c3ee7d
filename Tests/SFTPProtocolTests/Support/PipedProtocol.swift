import Foundation
import URLLoading
import URLLoadingBase
import URLLoadingTestServers

@testable import SFTPProtocol

/// The protocol class over pipes instead of SSH: the host of a URL names a `PipedHost`.
class PipedProtocol: SFTPProtocol, @unchecked Sendable {
  override func pool(of session: URLSession) -> SFTPPool { session.component(PipedPool.self).pool }

  /// A session whose `sftp` URLs are loaded so.
  class func session(connections: Int = 6, delegate: (any URLSessionDelegate)? = nil) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [self]
    configuration.httpMaximumConnectionsPerHost = connections
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }
}

/// The same with connections that are closed as soon as they have no loads for a while.
final class BrieflyIdleProtocol: PipedProtocol, @unchecked Sendable {
  override func pool(of session: URLSession) -> SFTPPool { session.component(BrieflyIdlePool.self).pool }
}

private protocol PipedResource: URLSessionComponent {
  var pool: SFTPPool { get }
}

extension PipedResource {
  func flush() { pool.flush() }
  func invalidate() { pool.invalidate() }
}

private final class PipedPool: PipedResource {
  let pool: SFTPPool

  init(configuration: URLSessionConfiguration) {
    // Longer than any test takes between two loads, however slow the machine is.
    pool = SFTPPool(piping: configuration, idleTime: 300)
  }
}

private final class BrieflyIdlePool: PipedResource {
  let pool: SFTPPool

  init(configuration: URLSessionConfiguration) {
    pool = SFTPPool(piping: configuration, idleTime: 0.2)
  }
}

extension SFTPPool {
  fileprivate convenience init(piping configuration: URLSessionConfiguration, idleTime: TimeInterval) {
    self.init(
      connector: PipedConnector(), largestConnectionCount: configuration.httpMaximumConnectionsPerHost,
      idleTime: idleTime,
      shutdownTimeout: 5)
  }
}

private struct PipedConnector: SFTPConnector {
  func makeTransport(
    to place: ServerPlace, client: SFTPClient, questions: ConnectionQuestions
  ) -> any SFTPTransport {
    PipedHost.transport(place, client, questions)
  }
}

/// Where the connections of a test lead to: a folder that is served, and the connections that were made.
final class PipedHost: Sendable {
  private static let hosts = Locked<[String: PipedHost]>([:])

  let folder: TemporaryDirectory
  let connections = Watched<[PipedServer]>([])
  /// Runs before a connection is made, with its questions; false refuses it.
  let admit: @Sendable (ConnectionQuestions) async -> Bool
  private let name = "h\(UInt64.random(in: 0 ... .max))"
  private let arguments: [String]
  private let firstsLastByte: Int?

  /// - Parameter firstsLastByte: how many bytes the first connection's server gets before it is killed; nil for all.
  init(
    arguments: [String] = [], firstsLastByte: Int? = nil,
    admit: (@Sendable (ConnectionQuestions) async -> Bool)? = nil
  ) throws {
    self.firstsLastByte = firstsLastByte
    folder = try TemporaryDirectory("sftp-root")
    self.arguments = arguments
    self.admit = admit ?? { _ in true }
    Self.hosts.withLock { $0[name] = self }
  }

  /// Ends all connections.
  func stop() async {
    _ = Self.hosts.withLock { $0.removeValue(forKey: name) }
    for connection in connections.value { await connection.stop() }
  }

  /// The URL of a file in the folder.
  func url(_ path: String) -> URL {
    let encoded = (folder.path + "/" + path).addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
    return URL(string: "sftp://\(name)\(encoded)") ?? URL(fileURLWithPath: "/")
  }

  static func transport(
    _ place: ServerPlace, _ client: SFTPClient, _ questions: ConnectionQuestions
  ) -> any SFTPTransport {
    guard let host = hosts.withLock({ $0[place.host] }),
      let server = try? PipedServer(
        client, arguments: host.arguments, beginsLater: true,
        lastByte: host.connections.value.isEmpty ? host.firstsLastByte : nil)
    else {
      return PipedTransport(server: nil) {
        client.channelDidClose(URLError(.cannotFindHost, message: "There is no such host.", url: nil))
      }
    }
    host.connections.update { $0.append(server) }
    return PipedTransport(server: server) {
      Task {
        if await host.admit(questions) {
          server.begin()
        } else {
          // The reason goes before the end that it is the reason of.
          server.perform {
            client.channelDidClose(URLError(.userAuthenticationRequired, message: "Not let in.", url: nil))
            server.close()
          }
        }
      }
    }
  }
}

/// A connection to a piped server; to none where the host is not known.
private final class PipedTransport: SFTPTransport {
  let metrics = SSHConnectionMetrics(address: "pipe")
  private let server: PipedServer?
  private let begin: @Sendable () -> Void

  init(server: PipedServer?, begin: @escaping @Sendable () -> Void) {
    self.server = server
    self.begin = begin
  }

  func start() { begin() }
  func perform(_ work: @escaping @Sendable () -> Void) { server?.perform(work) }
  func close() { server?.close() }
}
