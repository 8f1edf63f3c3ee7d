/// A body stream on its way from the delegate to the one instance that reads it.
// Safe to share: ownership is transferred; one thread at a time uses it.
struct HandedStream: @unchecked Sendable {
  let stream: InputStream?

  init(_ stream: InputStream?) {
    self.stream = stream
  }
}
