internal import Synchronization
internal import URLLoadingBase

/// The classes that `URLProtocol.registerClass` made available, and the choice of a class for a request.
///
/// Mutable state: `registered`, guarded by its lock; `isEmpty`, atomic, and written under that lock alone.
final class ProtocolRegistry: Sendable {
  static let shared = ProtocolRegistry()

  /// The built-in classes, which every session searches last.
  static let builtIns: [URLProtocol.Type] = [
    HTTPProtocol.self, DataProtocol.self, FileProtocol.self, FTPProtocol.self, UnixSocketProtocol.self,
  ]

  private let registered = Locked<[URLProtocol.Type]>([])
  /// Whether there is none: as a rule, and asked with each load.
  private let isEmpty = Atomic(true)

  func register(_ anyClass: AnyClass) -> Bool {
    guard let protocolClass = anyClass as? URLProtocol.Type else { return false }
    change { $0.insert(protocolClass, at: 0) }
    return true
  }

  /// Removes the newest registration of a class.
  func unregister(_ anyClass: AnyClass) {
    change { classes in
      if let index = classes.firstIndex(where: { $0 == anyClass }) { classes.remove(at: index) }
    }
  }

  private func change(_ body: (inout [URLProtocol.Type]) -> Void) {
    registered.withLock { classes in
      body(&classes)
      isEmpty.store(classes.isEmpty, ordering: .releasing)
    }
  }

  /// The classes that are not built in, in the order of the search: their `canInit` is user code.
  func custom(of configured: [URLProtocol.Type]) -> [URLProtocol.Type] {
    isEmpty.load(ordering: .acquiring) ? configured : configured + registered.withLock { $0 }
  }

  /// The class that loads `task`: of its configuration, else registered, else built in.
  /// - Parameter request: the task's current one, if the caller has it.
  func protocolClass(
    for task: URLSessionTask, loading request: URLRequest? = nil, configured: [URLProtocol.Type]
  ) -> URLProtocol.Type? {
    for candidate in configured where candidate.canInit(with: task) { return candidate }
    for candidate in registered.withLock({ $0 }) where candidate.canInit(with: task) { return candidate }
    guard let request = request ?? task.currentRequest else { return nil }
    if TCPProtocol.canInit(with: task) { return TCPProtocol.self }
    return Self.builtIns.first { $0.canInit(with: request) }
  }

  /// The class that loads a request outside of any task: of the configuration, else registered, else built in.
  func protocolClass(for request: URLRequest, configured: [URLProtocol.Type] = []) -> URLProtocol.Type? {
    (configured + registered.withLock { $0 }).first { $0.canInit(with: request) }
      ?? Self.builtIns.first { $0.canInit(with: request) }
  }

  /// The error for a URL that no class loads: names the scheme, and the schemes that are there.
  /// - Parameter origin: the URL that redirected to it, if one did.
  func unsupported(_ url: URL?, configured: [URLProtocol.Type], redirectedFrom origin: URL? = nil) -> URLError {
    let available = schemes(configured) { _ in true }
    guard let url else { return URLError(.unsupportedURL, message: "The request has no URL.", url: nil) }
    if let origin {
      return RefusedRequest(redirectFrom: origin, toUnknown: url, available: available).error(url)
    }
    let subject =
      url.scheme.map { "No registered protocol class loads the scheme \"\($0)\" of \(url.redactedDescription)" }
      ?? "\"\(url.redactedDescription)\" has no scheme"
    return URLError(.unsupportedURL, message: "\(subject); available are \(available).", url: url)
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

  /// The error for a WebSocket or stream task whose class has no such connections: names the schemes whose classes have.
  func lacksDuplex(_ url: URL?, configured: [URLProtocol.Type]) -> URLError {
    let available = schemes(configured) { $0.capabilities.contains(.duplex) }
    return URLError(
      .unsupportedURL,
      message:
        "The protocol class for the scheme \"\(url?.scheme ?? "")\" of \(url?.redactedDescription ?? "the request") keeps no connection of both directions; available are \(available).",
      url: url)
  }

  /// The schemes that the transfer service loads.
  var backgroundSchemes: String { schemes([]) { $0.capabilities.contains(.background) } }

  /// The schemes of some classes, each once.
  private func schemes(_ configured: [URLProtocol.Type], where isWanted: (URLProtocol.Type) -> Bool) -> String {
    var unique: [String] = []
    for scheme in (custom(of: configured) + Self.builtIns).filter(isWanted).flatMap({ $0.capabilities.schemes })
    where !unique.contains(scheme) {
      unique.append(scheme)
    }
    return unique.joined(separator: ", ")
  }
}
