import Foundation
import URLLoading
import URLLoadingTestServers
import URLProtocolTesting

/// For a `VerbProtocol` with one fault, which the URL's host names.
struct VerbFixture: URLProtocolFixture {
  let fault: String

  var protocolClass: URLProtocol.Type { VerbProtocol.self }
  var abilities: FixtureAbilities { [.directories, .missing] }

  private func url(_ name: String) throws -> URL {
    guard let url = URL(string: "verbs://\(fault)/\(name)") else { throw URLError(.badURL) }
    return url
  }

  func place(_ bytes: Data, named name: String) async throws -> URL {
    let url = try url(name)
    VerbProtocol.store.update { $0[url.absoluteString] = bytes }
    return url
  }

  func directory(of files: [String: Data], named name: String) async throws -> URL {
    let url = try url(name)
    VerbProtocol.store.update { store in
      store[url.absoluteString] = .some(nil)
      for (file, bytes) in files { store["\(url.absoluteString)/\(file)"] = bytes }
    }
    return url.appending(path: "", directoryHint: .isDirectory)
  }

  func missing() async throws -> URL { try url("missing") }
  func uploadTarget(named name: String) async throws -> URL { try url(name) }
}

/// Files and directories in memory, and all that is done to them.
final class VerbProtocol: AsyncURLProtocol, @unchecked Sendable {
  /// The bytes by URL; nil for a directory.
  static let store = Watched<[String: Data?]>([:])

  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "verbs" }
  override class var capabilities: Capabilities {
    [super.capabilities, .resourceInfo, .acceptedHTTPMethods("GET", "HEAD", "DELETE", "MKCOL", "MOVE", "COPY")]
  }

  /// Without the slash of a directory.
  private static func key(_ text: String) -> String { text.hasSuffix("/") ? String(text.dropLast()) : text }

  override func load(_ request: URLRequest, to writer: Writer) async throws {
    guard let url = request.url else { return }
    let (key, fault) = (Self.key(url.absoluteString), url.host() ?? "")
    let target = request.value(forHTTPHeaderField: "Destination").map(Self.key)
    let replaces = request.value(forHTTPHeaderField: "Overwrite") != "F" || fault == "alwaysReplaces"
    func fail(_ code: URLError.Code) -> URLError { URLError(code, message: "\(code)", url: url) }
    let method = request.httpMethod ?? "GET"
    let result = Self.store.update { store -> Result<Data, URLError> in
      let own = store[key]
      if method == "MKCOL" {
        guard own == nil || fault == "makesTwice" else { return .failure(fail(.cannotCreateFile)) }
        store[key] = fault == "makesFiles" ? .some(Data()) : .some(nil)
        return .success(Data())
      }
      guard let own else {
        return fault == "missingIsRemoved" && method == "DELETE" ? .success(Data()) : .failure(fail(.fileDoesNotExist))
      }
      if method == "DELETE" {
        let isEmpty = !store.keys.contains { $0.hasPrefix(key + "/") }
        guard isEmpty || fault == "removesTrees" else { return .failure(fail(.cannotRemoveFile)) }
        for name in store.keys where name == key || name.hasPrefix(key + "/") {
          if fault != "keeps" { store[name] = nil }
        }
        return .success(Data())
      }
      guard let target, method == "MOVE" || method == "COPY" else {
        return own.map { .success($0) } ?? .failure(fail(.fileIsDirectory))
      }
      guard replaces || store[target] == nil else {
        return .failure(fail(method == "MOVE" ? .cannotMoveFile : .cannotCreateFile))
      }
      if fault != "neverReplaces" || store[target] == nil {
        store[target] = fault == "losesBytes" ? own?.dropLast() : own
      }
      if (method == "MOVE") != (fault == "swaps") { store[key] = nil }
      return .success(Data())
    }
    let bytes = try result.get()
    try await writer.respond(mimeType: nil, length: Int64(bytes.count))
    if method == "GET", !bytes.isEmpty { try await writer.write(bytes) }
  }

  override func describe(_ request: URLRequest, to writer: Writer) async throws {
    guard let url = request.url else { return }
    let fault = url.host() ?? ""
    guard let own = Self.store.value[Self.key(url.absoluteString)] else {
      guard fault == "describesNothing" else { throw URLError(.fileDoesNotExist, message: "Nothing.", url: url) }
      return try await writer.respond(URLResponse(URLResourceInfo(url: url, kind: .file)))
    }
    try await writer.respond(
      URLResponse(
        URLResourceInfo(
          url: url, kind: (own == nil && fault != "hidesDirectories") || fault == "wrongKind" ? .directory : .file,
          size: own.map { Int64($0.count) + (fault == "wrongSize" ? 1 : 0) },
          validators: ResourceValidators(entityTag: fault == "wrongTag" ? "\"x\"" : nil))))
  }
}
