/// A channel's user that also waits for a descriptor. All calls come on the connection's thread.
protocol SSHDescriptorUser: SSHChannelUser {
  var descriptor: Int32 { get }

  /// `poll`'s flags to wait for.
  var descriptorEvents: Int16 { get }

  /// - Returns: false to close the channel.
  func descriptorIsReady() -> Bool
}
