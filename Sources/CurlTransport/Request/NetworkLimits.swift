import Foundation
internal import URLLoadingBase

/// How connections are made, and how fast they are used.
package struct NetworkLimits: Sendable, Equatable {
  /// The addresses of hosts that are used.
  package enum AddressFamily: Sendable, Equatable {
    case any, ipv4, ipv6
  }

  package var addressFamily = AddressFamily.any
  /// Addresses in place of a lookup, in the form of CURLOPT_RESOLVE: `host:port:address,address`.
  package var hostAddresses: [String] = []
  /// Seconds for a connection with its handshakes; nil for libcurl's default.
  package var connectionTimeout: TimeInterval?
  package var allowsHTTP2 = true
  /// Bytes a second of each transfer; nil for no limit.
  package var receiveRate: Int?
  package var sendRate: Int?
  /// The metrics have the heads of requests as they were sent.
  package var recordsRequestHeads = false

  /// What few engines ask of their connections.
  package var connections: ConnectionRules {
    get { rules ?? ConnectionRules() }
    set { rules = newValue == ConnectionRules() ? nil : newValue }
  }
  /// Nil as a rule: each request is configured with a copy of these limits.
  @Boxed private var rules: ConnectionRules?

  package init() {}

  /// Lookups by these rules are not shared with sessions without them.
  var hasNamesOfItsOwn: Bool { addressFamily != .any || !hostAddresses.isEmpty }

  /// Bytes of the buffer to receive into: a load that keeps to a rate pauses between two of them.
  func bufferSize(_ usual: Int) -> Int { receiveRate.map { min(usual, max($0, 1024)) } ?? usual }
}
