import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A library whose public API has the session and the request of its users in it.
public struct Fetcher: Sendable {
  /// Loads the requests.
  public let session: URLSession

  /// Creates a fetcher.
  public init(session: URLSession = .shared) {
    self.session = session
  }

  /// A request for a resource.
  public static func request(for url: URL) -> URLRequest {
    var request = URLRequest(url: url)
    request.setValue("text/plain", forHTTPHeaderField: "Accept")
    return request
  }

  /// What came, in words.
  public func fetch(_ request: URLRequest) async throws -> String {
    let (data, response) = try await session.data(for: request)
    let status = (response as? HTTPURLResponse).map { "status \($0.statusCode)" } ?? "no status"
    return "\(status), \(data.count) bytes"
  }

  /// The state of a task, in words: a switch without a default.
  public static func describe(_ state: URLSessionTask.State) -> String {
    switch state {
    case .running: "running"
    case .suspended: "suspended"
    case .canceling: "canceling"
    case .completed: "completed"
    }
  }

  /// The session's type as this module knows it.
  public static var sessionType: Any.Type { URLSession.self }
}
