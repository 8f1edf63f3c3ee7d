internal import URLLoadingCurlTransport

/// The libraries behind this one.
package enum LinkedLibraries {
  /// Names and versions of libcurl and what it stands on.
  package static var transfer: String { TransferLibrary.description }

  /// The features, in one word each.
  package static var features: [String] {
    (TransferLibrary.features + ["brotli", "gzip", "zstd", "cookies", "HSTS", "resume", "WebSocket"]).sorted {
      $0.lowercased() < $1.lowercased()
    }
  }
}

extension URLProtocol {
  /// The schemes of all classes that are registered, and of those that are built in.
  package static var registeredSchemes: [String] {
    ProtocolRegistry.shared.custom(of: ProtocolRegistry.builtIns).flatMap { $0.capabilities.schemes }
  }
}
