import Foundation
import URLLoading
import WebDAVProtocol

/// What tests ask of sessions that load by WebDAV.
enum TestSession {
  static func make(
    delegate: (any URLSessionDelegate)? = nil, _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.protocolClasses = [WebDAVProtocol.self]
    change(configuration)
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  /// The error of a body; nil where it has none.
  static func error(of body: () async throws -> Void) async -> URLError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? URLError ?? URLError(.unknown, message: "\(error)", url: nil)
    }
  }
}

extension URLSession {
  /// All entries of a directory.
  func list(_ url: URL, depth: String? = nil) async throws -> [URLDirectoryEntry] {
    var request = URLRequest(url: url)
    request.setValue(depth, forHTTPHeaderField: "Depth")
    var entries: [URLDirectoryEntry] = []
    for try await entry in self.entries(at: request) { entries.append(entry) }
    return entries
  }

  /// Carries a method out.
  @discardableResult
  func send(_ method: String, _ url: URL, _ fields: [String: String] = [:]) async throws -> URLResponse {
    var request = URLRequest(url: url)
    request.httpMethod = method
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return try await data(for: request).1
  }

  /// Stores bytes.
  func store(_ bytes: Data, at url: URL, _ fields: [String: String] = [:]) async throws {
    var request = URLRequest(url: url)
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    _ = try await upload(for: request, from: bytes)
  }
}
