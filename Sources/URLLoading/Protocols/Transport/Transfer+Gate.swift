internal import URLLoadingCurlTransport

extension Transfer {
  /// Pauses a transfer that was just started where the gate is closed: an observer that was called before did not find it.
  func begin(under gate: URLProtocolGate) {
    guard !gate.isOpen else { return }
    pause()
    if gate.isOpen { resume() }
  }
}
