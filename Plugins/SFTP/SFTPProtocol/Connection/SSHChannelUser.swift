/// Who speaks over the channel of an SSH connection. All calls come on the connection's thread, one after another.
protocol SSHChannelUser: AnyObject, Sendable {
  /// The channel is open: bytes can go both ways.
  func channelDidOpen()

  /// Bytes came; valid during the call.
  func channelDidReceive(_ bytes: UnsafeRawBufferPointer)

  /// The channel can take bytes: called until it has taken all that ``bytesToSend`` gives.
  ///
  /// What was given must stay as it is until the next call, which says how much of it was taken (libssh2 goes on with a partly sent
  /// packet from the same buffer).
  var bytesToSend: UnsafeRawBufferPointer { get }

  /// So many of ``bytesToSend`` are on their way.
  func channelDidSend(_ count: Int)

  /// Whether more bytes may come in now; false holds the peer back by the channel's window.
  var wantsToReceive: Bool { get }

  /// The channel is gone, for whatever reason; the last call.
  func channelDidClose(_ error: (any Error)?)
}
