/// A class that can load a request without an instance: what costs a small load most is what it does not use.
///
/// An instance has a client, a gate, a driver, and whatever a redirect, a challenge or a cache may need. A request whose answer is a response
/// and a body needs none of that. A session asks the class that loads a request for such a *direct load* where nothing else is asked
/// for: a data task with a completion handler or an `async` function, without a delegate, an event listener, a body that is a stream, cookies
/// to send or responses to look up. Where more is asked for later, such as by suspending the task, the load goes on with all of its stages, and
/// nothing is lost. <doc:WriteAProtocol> has a class that does so, <doc:Architecture> says which loads are direct.
public protocol URLProtocolDirectLoading: URLProtocol {
  /// A load of a request that takes no instance; nil where this one takes one. It does nothing before it is started.
  /// - Parameters:
  ///   - request: in canonical form, with the session's additional header fields. A body is in its `httpBody`.
  ///   - session: the session that loads it.
  static func directLoad(of request: URLRequest, in session: URLSession) -> (any URLDirectLoad)?
}

/// One load without an instance of its class, see ``URLProtocolDirectLoading``.
///
/// All calls may come from any thread, and may not block. A stop or a pause may come while another call runs, and ahead of the start, which
/// still comes: a load that was stopped then does nothing.
public protocol URLDirectLoad: AnyObject, Sendable {
  /// Begins to load. Called once.
  /// - Parameter receiver: gets one response, the bytes of the body, and the end, one call after another, from any thread.
  func start(for receiver: URLDirectReceiver)

  /// The load has ended, for whatever reason: what is sent from now on is ignored. Called once at most, and not where nobody needs to know:
  /// after the receiver got the end.
  func stop()

  /// Pauses the load, or ends the pause (back-pressure). Repeated calls may say the same.
  func setPaused(_ isPaused: Bool)
}
