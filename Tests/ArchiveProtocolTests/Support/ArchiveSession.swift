import ArchiveProtocol
import URLLoading

/// Sessions that load archives.
enum ArchiveSession {
  static func make(delegate: (any URLSessionDelegate)? = nil) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [ArchiveProtocol.self]
    configuration.connectionProxyDictionary = [:]
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }
}
