extension URLSession {
  /// A connection of a session, to a server or a proxy, as the session's listener hears of it.
  public struct EventConnection: Sendable, Hashable, Identifiable {
    /// A number that no other connection of the process has.
    public let id: UInt64
    /// The address at its other end; nil where the system does not tell.
    public let remoteAddress: String?
    /// The port there.
    public let remotePort: Int?

    /// Describes a connection, for tests of listeners.
    public init(id: UInt64, remoteAddress: String?, remotePort: Int?) {
      self.id = id
      self.remoteAddress = remoteAddress
      self.remotePort = remotePort
    }
  }
}
