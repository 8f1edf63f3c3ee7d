import Foundation

/// Servers' certificates of all conditions, good and bad, made once per test process (`Scripts/tls_corpus.py`).
package final class TLSCorpus: Sendable {
  private let directory: TemporaryDirectory
  /// The options of a server for each condition, by its name.
  package let conditions: [String: TLSServer.Options]

  private static let lazy = LazyServer { try await TLSCorpus() }
  private static let lazyServer = LazyServer { try await TLSServer.start(shared.conditions) }

  /// The certificates of this process.
  package static var shared: TLSCorpus {
    get async throws { try await lazy.server }
  }

  /// A server for each condition. Do not stop it.
  package static var server: TLSServer {
    get async throws { try await lazyServer.server }
  }

  private init() async throws {
    directory = try TemporaryDirectory("corpus")
    try await Command.check(try PackageFolder.python, [PackageFolder.script("tls_corpus.py"), directory.path])
    conditions = try JSONDecoder().decode(
      [String: TLSServer.Options].self, from: Data(contentsOf: directory.file("servers.json")))
  }

  /// A file of the corpus: `authorities.pem` has the roots that are trusted, `root.pem` the one of most conditions; `alice.pem`,
  /// `bob.pem` and `stranger.pem` are clients' certificates with their keys, `alice-encrypted.pem` with the passphrase `secret`.
  package func file(_ name: String) -> URL { directory.file(name) }

  /// The file with the chain of a condition, and its key.
  package func chain(_ name: String) throws -> URL {
    guard let path = conditions[name]?.chains.first else { throw TestServerError("there is no condition \(name)") }
    return URL(fileURLWithPath: path)
  }

  /// A server of the test's own with one condition.
  /// - Parameter change: changes its options.
  package func start(_ name: String, _ change: (inout TLSServer.Options) -> Void = { _ in }) async throws -> TLSServer {
    guard var options = conditions[name] else { throw TestServerError("there is no condition \(name)") }
    change(&options)
    return try await TLSServer.start([name: options])
  }
}
