internal import Synchronization
internal import URLLoadingBase

/// The classes that `URLProtocol.registerClass` made available, and the choice of a class for a request.
///
/// Mutable state: `registered`, guarded by its lock; `hasRegistered`, an atomic that is changed under that lock.
final class ProtocolRegistry: Sendable {
  static let shared = ProtocolRegistry()

  /// The classes that every session ends its search with.
  static let builtIns: [URLProtocol.Type] = [
    HTTPProtocol.self, DataProtocol.self, FileProtocol.self, FTPProtocol.self,
  ]

  private let registered = Locked<[URLProtocol.Type]>([])
  /// Few programs register any, and every load asks: to look is cheaper than to take a lock that all threads take.
  private let hasRegistered = Atomic(false)

  func register(_ anyClass: AnyClass) -> Bool {
    guard let protocolClass = anyClass as? URLProtocol.Type else { return false }
    registered.withLock { classes in
      classes.insert(protocolClass, at: 0)
      hasRegistered.store(true, ordering: .releasing)
    }
    return true
  }

  /// Removes the newest registration of a class.
  func unregister(_ anyClass: AnyClass) {
    registered.withLock { classes in
      if let index = classes.firstIndex(where: { $0 == anyClass }) { classes.remove(at: index) }
      hasRegistered.store(!classes.isEmpty, ordering: .releasing)
    }
  }

  /// The classes that are not built in, in the order in which they are asked: their `canInit` is foreign code.
  func custom(of configured: [URLProtocol.Type]) -> [URLProtocol.Type] {
    hasRegistered.load(ordering: .acquiring) ? configured + registered.withLock { $0 } : configured
  }

  /// The class that loads `task`: of its configuration, else registered, else built in.
  /// - Parameter request: the task's current one, if it is at hand.
  func protocolClass(
    for task: URLSessionTask, loading request: URLRequest? = nil, configured: [URLProtocol.Type]
  ) -> URLProtocol.Type? {
    for candidate in configured where candidate.canInit(with: task) { return candidate }
    if hasRegistered.load(ordering: .acquiring) {
      for candidate in registered.withLock({ $0 }) where candidate.canInit(with: task) { return candidate }
    }
    guard let request = request ?? task.currentRequest else { return nil }
    return Self.builtIns.first { $0.canInit(with: request) }
  }

  /// The error for a URL that no class loads: names the scheme, and the schemes that are there.
  /// - Parameter origin: where a redirect came from that led there.
  func unsupported(_ url: URL?, configured: [URLProtocol.Type], redirectedFrom origin: URL? = nil) -> URLError {
    let available = schemes(configured) { _ in true }
    guard let url else {
      return URLError(.badURL, message: "The request has no URL.", url: nil)
    }
    if let origin {
      return RefusedRequest(redirectFrom: origin, toUnknown: url, available: available).error(url)
    }
    let subject =
      url.scheme.map { "No registered protocol class loads the scheme \"\($0)\" of \(url.redactedDescription)" }
      ?? "\"\(url.redactedDescription)\" has no scheme"
    return URLError(
      .unsupportedURL, message: "\(subject); available are \(available).", url: url)
  }

  /// The error for a directory of a scheme whose class cannot list: names the schemes whose classes can.
  func unlistable(_ url: URL?, configured: [URLProtocol.Type]) -> URLError {
    let available = schemes(configured) { $0.capabilities.contains(.listing) }
    return URLError(
      .unsupportedURL,
      message:
        "The protocol class for the scheme \"\(url?.scheme ?? "")\" of \(url?.redactedDescription ?? "the request") cannot list directories; available are \(available).",
      url: url)
  }

  /// The schemes of some classes, each once.
  private func schemes(_ configured: [URLProtocol.Type], where isWanted: (URLProtocol.Type) -> Bool) -> String {
    var unique: [String] = []
    for scheme in (custom(of: configured) + Self.builtIns).filter(isWanted).flatMap({ $0.schemes })
    where !unique.contains(scheme) {
      unique.append(scheme)
    }
    return unique.joined(separator: ", ")
  }
}
