/// What only the transfer service can say about a load: forwarded, as every call, with the number of the attempt.
extension LoadClient {
  /// Another request is loaded by now, after redirects.
  func replaceRequest(_ request: URLRequest) { load.replaceRequest(request, attempt: attempt) }

  func waitsForConnectivity() { load.tellWaiting() }

  /// A download was resumed.
  func resumed(at offset: Int64, expecting expected: Int64) { load.resumedInService(at: offset, expecting: expected) }

  /// The response is a part of what the download is to have.
  func expect(_ length: Int64) { load.expect(length, attempt: attempt) }

  /// Bytes have arrived, or left, elsewhere.
  func progressed(_ progress: BackgroundProgress) { load.progressedInService(progress, attempt: attempt) }

  /// What the task's requests did elsewhere.
  func collected(_ metrics: URLSessionTaskMetrics) { load.collectedInService(metrics, attempt: attempt) }

  /// The body of the download is in a file, which becomes the load's.
  func adopt(file: String) throws { try load.adopt(file: URL(fileURLWithPath: file)) }

  /// The delegate has been given the file of the download before.
  func dropFile() { load.dropFile() }

  /// Asks the delegate whether a task whose date has come is loaded.
  /// - Parameter answer: gets what it says; returns whether the task continues.
  func askAboutDelayedRequest(
    _ answer: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Bool
  ) {
    load.askAboutDelayedRequest(answer)
  }
}
