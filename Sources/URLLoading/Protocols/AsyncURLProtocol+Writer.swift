internal import URLLoadingBase

extension AsyncURLProtocol {
  /// The client of a loading function.
  ///
  /// Mutable state: `hasResponded`, guarded by its lock, and in `streamReading`, an atomic.
  public final class Writer: Sendable {
    let instance: AsyncURLProtocol
    let gate: URLProtocolGate
    /// Taken by the first reading of a body stream.
    let streamReading = SingleAnswer()
    private let hasResponded = Locked(false)

    /// Whether neither a response nor a redirect was reported.
    var lacksResponse: Bool { hasResponded.withLock { !$0 } }

    init(_ instance: AsyncURLProtocol, gate: URLProtocolGate) {
      self.instance = instance
      self.gate = gate
    }

    /// The session whose configuration, credentials and delegate apply to this load: load through it what comes from elsewhere. Nil
    /// where the instance has another client than a session's.
    public var session: URLSession? { instance.sessionClient?.session }

    /// The body to upload, if there is one. A class that reads it by itself has ``uploadChunks``, which reports progress; one that hands
    /// it on, or reads it otherwise, calls ``reportUploadProgress(totalBytesSent:)``.
    public var uploadBody: URLUploadBody? { instance.sessionClient?.urlProtocolUploadBody(instance) }

    /// Sends the response's head, once, before any data.
    /// - Parameters:
    ///   - response: the head.
    ///   - policy: where the session's cache may keep the response. Where it is nil, an `HTTPURLResponse` is kept as its fields say
    ///     (RFC 9111), and no other is kept. What was kept is given to the next instance for the same request, as its `cachedResponse`.
    public func respond(_ response: URLResponse, storagePolicy policy: URLCache.StoragePolicy? = nil) async throws {
      try await gate.waitUntilOpen()
      hasResponded.withLock { $0 = true }
      instance.client?.urlProtocol(
        instance, didReceive: response,
        cacheStoragePolicy: policy ?? (response is HTTPURLResponse ? .allowed : .notAllowed))
    }

    /// Sends a response head with the given values.
    /// - Parameters:
    ///   - mimeType: such as `text/plain`.
    ///   - length: bytes of the body, or nil.
    ///   - textEncodingName: the IANA name of the character set, for text.
    public func respond(mimeType: String?, length: Int64? = nil, textEncodingName: String? = nil) async throws {
      try await respond(
        URLResponse(
          url: instance.request.url ?? URL(fileURLWithPath: "/"), mimeType: mimeType,
          expectedContentLength: Int(length ?? -1), textEncodingName: textEncodingName))
    }

    /// Sends more of the body. Returns when there is room for the next piece.
    /// - Throws: `CancellationError` when the load has ended.
    public func write(_ data: Data) async throws {
      try await gate.waitUntilOpen()
      instance.client?.urlProtocol(instance, didLoad: data)
    }

    /// Lists more entries of the directory. Returns when there is room for more. Sends a response first where there was none, so a class
    /// may call it with no entries for an empty directory.
    /// - Throws: `CancellationError` when the load has ended.
    public func list(_ entries: [URLDirectoryEntry]) async throws {
      if !hasResponded.withLock({ $0 }) { try await respond(mimeType: nil) }
      try await gate.waitUntilOpen()
      instance.sessionClient?.urlProtocol(instance, didList: entries)
    }

    /// Reports a redirect. When it is followed, the loading function is cancelled.
    public func redirect(to request: URLRequest, response: URLResponse) async throws {
      hasResponded.withLock { $0 = true }
      instance.client?.urlProtocol(instance, wasRedirectedTo: request, redirectResponse: response)
      try await gate.waitUntilOpen()
    }

    /// Returns a credential: while the count is 0, that of the URL or of the session's storage, if there is one;
    /// otherwise the delegate's.
    ///
    /// A loop must count failures: with a count of 0 in each round it would get the same stored credential forever:
    ///
    /// ```swift
    /// var failures = 0
    /// while let credential = try await writer.challenge(space, previousFailureCount: failures) {
    ///   if try await source.logIn(by: credential) { return try await send(to: writer) }
    ///   failures += 1
    /// }
    /// throw URLError(.userAuthenticationRequired)
    /// ```
    ///
    /// - Parameters:
    ///   - protectionSpace: who asks, and for what.
    ///   - previousFailureCount: how many credentials of this load were refused before.
    ///   - failureResponse: the response that refused the last one, if there is one.
    /// - Returns: the credential, or nil to load without one.
    public func challenge(
      _ protectionSpace: URLProtectionSpace, previousFailureCount: Int = 0, failureResponse: URLResponse? = nil
    ) async throws -> URLCredential? {
      let credential: URLCredential? = await withUnsafeContinuation { continuation in
        let sender = ChallengeContinuation(continuation)
        let challenge = URLAuthenticationChallenge(
          protectionSpace: protectionSpace, proposedCredential: nil, previousFailureCount: previousFailureCount,
          failureResponse: failureResponse, error: nil, sender: sender)
        gate.whenEnded { sender.answer(nil) }
        instance.client?.urlProtocol(instance, didReceive: challenge)
      }
      try Task.checkCancellation()
      return credential
    }

    /// Returns when the end may be sent.
    func waitForEnd() async throws {
      try await gate.waitUntilOpen()
      guard hasResponded.withLock({ $0 }) else {
        throw URLError(
          .badServerResponse, message: "\(type(of: instance)) returned without a response.", url: instance.request.url)
      }
    }
  }
}
