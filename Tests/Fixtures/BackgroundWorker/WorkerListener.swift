import URLLoading

/// Says that the session waits for the transfer service.
final class WorkerListener: URLSession.EventListener {
  func session(_ session: URLSession, isWaitingForTransferService error: any Error) {
    say("event \(error.localizedDescription)")
  }
}
