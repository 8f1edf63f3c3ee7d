/// Where the connections of an engine go and begin, and how long they are used, where that is not as usual.
package struct ConnectionRules: Sendable, Equatable {
  /// The path of the Unix socket that all requests by HTTP are sent to, whatever their host; nil for none.
  package var unixSocketPath: String?
  /// Where connections begin; nil for what the kernel chooses.
  package var localEnd: LocalEnd?
  /// Seconds after which an idle connection is not used again; nil for libcurl's default.
  package var maximumIdleTime: Int?
  /// Seconds after which a connection is not used again, by the time when it was made; nil for any time.
  package var maximumAge: Int?
  /// How many requests a connection takes; nil for any number.
  package var maximumRequests: Int?
  /// Seconds between probes of a connection on which nothing happens; nil for none.
  package var keepAliveInterval: Int?

  package init() {}
}
