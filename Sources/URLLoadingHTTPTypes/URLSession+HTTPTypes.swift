import Foundation
import HTTPTypes
import URLLoading

/// Loading by requests of swift-http-types. Cancelling the surrounding `Task` cancels the load.
///
/// All throw the error that the load failed with; `URLError.badURL` for a request that names no URL, before anything is sent; and
/// `URLError.cannotParseResponse` where the response is not one of HTTP.
extension URLSession {
  /// Loads a resource into memory.
  /// - Parameters:
  ///   - request: what to load.
  ///   - delegate: called for redirects, challenges and so on; the session's for methods that it lacks.
  public func data(
    for request: HTTPRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, HTTPResponse) {
    let (data, response) = try await data(for: URLRequest(converting: request), delegate: delegate)
    return (data, try response.converted())
  }

  /// Uploads bytes and returns the server's answer.
  /// - Parameters:
  ///   - request: where to, and how.
  ///   - bodyData: the body.
  ///   - delegate: called for redirects, challenges and so on; the session's for methods that it lacks.
  public func upload(
    for request: HTTPRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, HTTPResponse) {
    let (data, response) = try await upload(for: URLRequest(converting: request), from: bodyData, delegate: delegate)
    return (data, try response.converted())
  }

  /// Uploads a file, which is read as it is sent, and returns the server's answer.
  /// - Parameters:
  ///   - request: where to, and how.
  ///   - fileURL: the file that is the body.
  ///   - delegate: called for redirects, challenges and so on; the session's for methods that it lacks.
  public func upload(
    for request: HTTPRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, HTTPResponse) {
    let (data, response) = try await upload(for: URLRequest(converting: request), fromFile: fileURL, delegate: delegate)
    return (data, try response.converted())
  }

  /// Loads a resource into a temporary file, which is the caller's to move or remove.
  /// - Parameters:
  ///   - request: what to load.
  ///   - delegate: called for redirects, challenges and so on; the session's for methods that it lacks.
  public func download(
    for request: HTTPRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, HTTPResponse) {
    let (file, response) = try await download(for: URLRequest(converting: request), delegate: delegate)
    do {
      return (file, try response.converted())
    } catch {
      // Nobody else knows of it.
      try? FileManager.default.removeItem(at: file)
      throw error
    }
  }

  /// Loads a resource and gives its body as it comes. Returns when the response's head is there.
  /// - Parameters:
  ///   - request: what to load.
  ///   - delegate: called for redirects, challenges and so on; the session's for methods that it lacks.
  public func bytes(
    for request: HTTPRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (AsyncBytes, HTTPResponse) {
    let (bytes, response) = try await bytes(for: URLRequest(converting: request), delegate: delegate)
    return (bytes, try response.converted())
  }
}

/// The same without a delegate: what a protocol requires by these names, a session then has.
extension URLSession {
  /// Loads a resource into memory.
  @_disfavoredOverload
  public func data(for request: HTTPRequest) async throws -> (Data, HTTPResponse) {
    try await data(for: request, delegate: nil)
  }

  /// Uploads bytes and returns the server's answer.
  @_disfavoredOverload
  public func upload(for request: HTTPRequest, from bodyData: Data) async throws -> (Data, HTTPResponse) {
    try await upload(for: request, from: bodyData, delegate: nil)
  }

  /// Uploads a file, which is read as it is sent, and returns the server's answer.
  @_disfavoredOverload
  public func upload(for request: HTTPRequest, fromFile fileURL: URL) async throws -> (Data, HTTPResponse) {
    try await upload(for: request, fromFile: fileURL, delegate: nil)
  }
}
