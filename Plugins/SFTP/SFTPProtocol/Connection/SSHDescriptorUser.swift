/// A user of a channel that also waits for a descriptor of its own. All calls come on the connection's thread.
protocol SSHDescriptorUser: SSHChannelUser {
  var descriptor: Int32 { get }

  /// What to wait for, as `poll` calls it.
  var descriptorEvents: Int16 { get }

  /// Something of it has happened. False if the channel is of no use any more.
  func descriptorIsReady() -> Bool
}
