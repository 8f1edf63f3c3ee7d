import Glibc

/// Uses the channel of an SSH connection. All calls come on the connection's thread.
protocol SSHChannelUser: AnyObject, Sendable {
  func channelDidOpen()

  /// - Parameter bytes: valid during the call.
  func channelDidReceive(_ bytes: UnsafeRawBufferPointer)

  /// The next bytes to send, which have to stay in place until ``channelDidSend(_:)``: libssh2 continues a partly sent packet from the
  /// same buffer.
  var bytesToSend: UnsafeRawBufferPointer { get }

  /// The first `count` of ``bytesToSend`` were sent.
  func channelDidSend(_ count: Int)

  /// Whether to read more; false leaves back-pressure to the channel's window.
  var wantsToReceive: Bool { get }

  /// A descriptor of the user's own that is waited for while the channel is open.
  var descriptorToPoll: pollfd? { get }

  /// - Returns: false to close the channel.
  func descriptorIsReady() -> Bool

  /// The last call. Without an error the end was wanted.
  func channelDidClose(_ error: (any Error)?)
}

extension SSHChannelUser {
  var descriptorToPoll: pollfd? { nil }
  func descriptorIsReady() -> Bool { true }
}
