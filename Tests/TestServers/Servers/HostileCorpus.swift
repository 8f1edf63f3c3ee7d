import Foundation

/// Certificates and files of identities that are odd, damaged or dishonest, made once per test process (`Scripts/hostile_corpus.py`).
package final class HostileCorpus: Sendable {
  /// Certificates in DER, and what is not one, by what is odd about them.
  package let certificates: [String: Data]
  /// Chains of certificates in DER.
  package let chains: [String: [Data]]
  /// PKCS #12 and PEM files by their names, most with the passphrase `secret`.
  package let identities: [String: Data]
  private let directory: TemporaryDirectory

  private static let lazy = LazyServer { try await HostileCorpus() }

  /// The corpus of this process.
  package static var shared: HostileCorpus {
    get async throws { try await lazy.server }
  }

  private init() async throws {
    directory = try TemporaryDirectory("hostile")
    try await Command.check(try PackageFolder.python, [PackageFolder.script("hostile_corpus.py"), directory.path])
    certificates = try Self.files(in: directory.file("certificates"))
    identities = try Self.files(in: directory.file("identities"))
    var chains: [String: [Data]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.file("chains").path) {
      let files = try Self.files(in: directory.file("chains/\(name)"))
      chains[name] = files.sorted { $0.key < $1.key }.map(\.value)
    }
    self.chains = chains
  }

  /// A file of the corpus: `certificates/NAME`, or `chains/NAME/NUMBER` with three digits.
  package func file(_ name: String) -> URL { directory.file(name) }

  private static func files(in folder: URL) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      files[name] = try Data(contentsOf: folder.appendingPathComponent(name))
    }
    return files
  }
}
