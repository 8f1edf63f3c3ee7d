import ArchiveProtocol
import URLLoading

/// Sessions that load archives.
enum ArchiveSession {
  static func make(
    delegate: (any URLSessionDelegate)? = nil, _ change: (inout ArchiveConfiguration) -> Void = { _ in }
  ) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    change(&configuration.archive)
    configuration.protocolClasses = [ArchiveProtocol.self]
    configuration.connectionProxyDictionary = [:]
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }
}
