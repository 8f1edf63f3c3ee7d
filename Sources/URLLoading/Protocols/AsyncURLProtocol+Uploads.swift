extension AsyncURLProtocol.Writer {
  /// The body to upload, from its beginning, in pieces; no pieces where there is no body. Reading reports progress.
  ///
  /// ```swift
  /// for try await chunk in writer.uploadChunks { try await connection.send(chunk) }
  /// ```
  ///
  /// A piece counts as sent when the next one is asked for, the last one with the end. It can be read again, after a challenge say: a
  /// stream is then another one, which the session's delegate is asked for. The load's end cancels the function, which ends its reading
  /// at once.
  public var uploadChunks: URLUploadBody.Chunks {
    URLUploadBody.Chunks(
      opening: { try await self.bodyToRead() }, report: { self.reportUploadProgress(totalBytesSent: $0) })
  }

  /// Reports how much of the upload's body was sent: to the task's counters, its `Progress`, and the delegate's `didSendBodyData`.
  ///
  /// For a body that is sent elsewhere than from ``uploadChunks``, such as by a load of another URL. The request timeout begins anew.
  /// - Parameter totalBytesSent: bytes, from the body's first one on. A body that is sent again begins at 0.
  public func reportUploadProgress(totalBytesSent: Int64) {
    instance.sessionClient?.urlProtocol(instance, didSendBodyData: totalBytesSent)
  }

  private func bodyToRead() async throws -> URLUploadBody? {
    guard let body = uploadBody else { return nil }
    guard case .stream(_, let length) = body, !streamReading.take() else { return body }
    guard let stream = await newBodyStream().stream else {
      try Task.checkCancellation()
      throw URLError(
        .requestBodyStreamExhausted,
        message: "\(type(of: instance)) needs the body again, and the delegate has no new stream.",
        url: instance.request.url)
    }
    return .stream(stream, length: length)
  }

  private func newBodyStream() async -> HandedStream {
    await withUnsafeContinuation { continuation in
      let answer = SingleAnswer()
      gate.whenEnded { if answer.take() { continuation.resume(returning: HandedStream(nil)) } }
      guard let client = instance.sessionClient else {
        if answer.take() { continuation.resume(returning: HandedStream(nil)) }
        return
      }
      client.urlProtocol(
        instance,
        needsNewBodyStream: { stream in
          if answer.take() { continuation.resume(returning: HandedStream(stream)) }
        })
    }
  }
}
