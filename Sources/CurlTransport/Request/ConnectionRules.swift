/// Where the connections of an engine go, where that is not to hosts as usual.
package struct ConnectionRules: Sendable, Equatable {
  /// The path of the Unix socket that all requests by HTTP are sent to, whatever their host; nil for none.
  package var unixSocketPath: String?

  package init() {}
}
