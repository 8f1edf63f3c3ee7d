import ArchiveProtocol
import Foundation
import URLLoading
import URLLoadingTestServers
import URLProtocolTesting

/// Puts bytes into a deflated member of a zip, each in an archive of its own.
struct ArchiveFixture: URLProtocolFixture {
  private static let folder = Result { try TemporaryDirectory("archive-kit") }

  var protocolClass: URLProtocol.Type { ArchiveProtocol.self }
  var abilities: FixtureAbilities { [.replacing, .missing, .directories] }

  func configuration() -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [ArchiveProtocol.self]
    return configuration
  }

  func place(_ bytes: Data, named name: String) async throws -> URL {
    let archive = try Self.folder.get().file("\(name)-\(UInt64.random(in: 0 ... .max)).zip")
    try await Self.write(bytes, to: archive, as: name)
    guard let url = URL(archive: archive, member: name) else { throw URLError(.badURL) }
    return url
  }

  func replace(_ url: URL, with bytes: Data) async throws {
    guard let member = url.archiveMember else { throw URLError(.badURL) }
    let new = member.archive.appendingPathExtension("new")
    try await Self.write(bytes, to: new, as: member.path ?? "")
    _ = rename(new.path, member.archive.path)
  }

  func directory(of files: [String: Data], named name: String) async throws -> URL {
    let archive = try Self.folder.get().file("\(name).zip")
    let folder = try TemporaryDirectory("archive-directory")
    for (file, bytes) in files { _ = try folder.write("d/" + file, bytes) }
    try await Command.check("/usr/bin/zip", ["-qr", archive.path, "d"], directory: folder.url)
    guard let url = URL(archive: archive, member: "d/") else { throw URLError(.badURL) }
    return url
  }

  func missing() async throws -> URL {
    let url = try await place(Data("a".utf8), named: "there")
    guard let member = url.archiveMember, let missing = URL(archive: member.archive, member: "nothing") else {
      throw URLError(.badURL)
    }
    return missing
  }

  private static func write(_ bytes: Data, to archive: URL, as name: String) async throws {
    let code = """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
          archive.writestr(sys.argv[2], sys.stdin.buffer.read())
      """
    try await Command.check("/usr/bin/python3", ["-c", code, archive.path, name], input: bytes)
  }
}
