/// What limits a session's loads. A timeout of zero means that none was set.
extension URLSessionConfiguration.Values {
  /// In seconds; 60 where none was set.
  var idleTimeout: TimeInterval { timeoutIntervalForRequest > 0 ? timeoutIntervalForRequest : 60 }

  /// - Parameter redirects: how many are followed.
  func limits(redirects: Int) -> LoadMachine.Limits {
    LoadMachine.Limits(
      idle: Duration(timeout: idleTimeout),
      resource: timeoutIntervalForResource > 0 ? Duration(timeout: timeoutIntervalForResource) : nil,
      bufferedBytes: maximumBufferedBytesPerTask, redirects: max(0, redirects))
  }
}
