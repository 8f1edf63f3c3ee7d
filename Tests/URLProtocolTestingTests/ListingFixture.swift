import Foundation
import URLLoading
import URLLoadingTestServers
import URLProtocolTesting

/// For a `ListingProtocol` with one fault, which the URL's host names.
struct ListingFixture: URLProtocolFixture {
  let fault: String

  var protocolClass: URLProtocol.Type { ListingProtocol.self }
  var abilities: FixtureAbilities { .directories }

  func place(_ bytes: Data, named name: String) async throws -> URL { try put([name: bytes], "/") }

  func directory(of files: [String: Data], named name: String) async throws -> URL {
    _ = try put(files, "/\(name)/")
    return try Self.url(fault, "/\(name)/")
  }

  private func put(_ files: [String: Data], _ folder: String) throws -> URL {
    var last = try Self.url(fault, folder)
    for (name, bytes) in files {
      last = try Self.url(fault, folder).appendingPathComponent(name)
      ListingProtocol.store.update { [last] in $0[last.path(percentEncoded: false)] = bytes }
    }
    return last
  }

  private static func url(_ host: String, _ path: String) throws -> URL {
    guard let url = URL(string: "listing://\(host)\(path)") else { throw URLError(.badURL) }
    return url
  }
}

/// Files in memory, with directories.
final class ListingProtocol: AsyncURLProtocol, @unchecked Sendable {
  /// The bytes by path.
  static let store = Watched<[String: Data]>([:])

  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "listing" }
  override class var capabilities: Capabilities { [.listing, .nonblocking] }

  override func load(_ request: URLRequest, to writer: Writer) async throws {
    guard let url = request.url else { return }
    let fault = url.host() ?? ""
    let path = url.path(percentEncoded: false)
    guard let bytes = Self.store.value[path] ?? (fault == "loadsDirectories" ? Data() : nil) else {
      throw URLError(.fileIsDirectory, message: "\(url) is a directory.", url: url)
    }
    try await writer.respond(mimeType: nil, length: Int64(bytes.count))
    if !bytes.isEmpty { try await writer.write(bytes) }
  }

  override func list(_ request: URLRequest, to writer: Writer) async throws {
    guard let url = request.url else { return }
    let path = url.path(percentEncoded: false)
    let files = Self.store.value
    let below = files.filter { $0.key.hasPrefix(path) && path.hasSuffix("/") }
    try await list(url, below, files[path], url.host() ?? "", writer)
  }

  /// Hangs after the first entry, whether or not anybody still wants to hear of it.
  private func stall(after entry: URLDirectoryEntry?, _ writer: Writer) async {
    if let entry { try? await writer.list([entry]) }
    Self.hang()
  }

  private static func hang() { Thread.sleep(forTimeInterval: 10) }

  private func list(_ url: URL, _ files: [String: Data], _ own: Data?, _ fault: String, _ writer: Writer) async throws {
    guard own == nil || fault == "listsFiles" else { throw URLError.notDirectory(url) }
    for (path, bytes) in fault == "losesEntry" ? files.dropFirst() : files[...] {
      let name = String(path.split(separator: "/").last ?? "")
      let entry = URLDirectoryEntry(
        name: name, in: url, kind: fault == "wrongKind" ? .directory : .file,
        size: Int64(bytes.count) + (fault == "wrongSize" ? 1 : 0))
      if fault == "stalls" { return await stall(after: entry, writer) }
      repeat {
        if let entry { try await writer.list([entry]) }
      } while fault == "neverEnds"
    }
    if own != nil || files.isEmpty { try await writer.list([]) }
  }
}
