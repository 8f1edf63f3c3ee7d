/// A suspended `async` function or a blocked thread.
enum Waiter {
  case function(UnsafeContinuation<Void, Never>)
  case thread(DispatchSemaphore)

  func resume() {
    switch self {
    case .function(let continuation): continuation.resume()
    case .thread(let semaphore): semaphore.signal()
    }
  }
}
