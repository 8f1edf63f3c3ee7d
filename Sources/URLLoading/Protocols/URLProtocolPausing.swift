/// A protocol class whose instances can be told to send nothing more for a while: for classes that send after
/// ``URLProtocol/startLoading()`` has returned.
///
/// An instance that sends from within `startLoading()` need not conform: its calls to the client wait. Of any other, what it sends in
/// spite of a pause is kept in memory.
public protocol URLProtocolPausing: URLProtocol {
  /// Sends nothing more for now: the consumer is slow, the task is suspended, or a delegate decides.
  func pauseLoading()

  /// Ends what ``pauseLoading()`` began.
  func resumeLoading()
}
