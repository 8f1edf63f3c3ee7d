internal import URLLoadingBase

/// What a task was made to do: fixed from the start.
struct LoadPlan: Sendable {
  enum Kind: Sendable {
    case data, upload, download, bytes, listing, webSocket, stream

    /// A full-duplex connection, see ``DuplexSink``.
    var isDuplex: Bool { self == .webSocket || self == .stream }
  }

  /// Who gets the result.
  enum Owner: Sendable {
    /// The delegate, call by call.
    case delegate
    /// A completion handler, on the delegate queue.
    case handler(@Sendable (LoadedBody, URLResponse?, (any Error)?) -> Void)
    /// An `async` function, suspended in ``Load/wait(_:)``, which completes the load itself by ``Load/takeOutcome()``.
    case waiter
    /// The reader of a stream, at once.
    case reader
    /// None: the load of a task that no session made, which never begins.
    case detached
  }

  /// What is left of a load when it has ended.
  struct Outcome: Sendable {
    var body: LoadedBody
    var response: URLResponse?
    var error: (any Error)?

    consuming func loadedData() throws -> (Data, URLResponse) {
      let response = try loadedResponse()
      return (body.data ?? Data(), response)
    }

    consuming func loadedFile() throws -> (URL, URLResponse) {
      let response = try loadedResponse()
      guard let file = body.file else { throw URLError(.cannotOpenFile) }
      return (file, response)
    }

    private func loadedResponse() throws -> URLResponse {
      guard let response, error == nil else { throw error ?? URLError(.badServerResponse) }
      return response
    }
  }

  var request: URLRequest
  var kind: Kind
  var owner: Owner
  var upload = UploadSource.none
  /// The resume data of an earlier download.
  @Boxed var resumption: ResumeData?
  var isResumption: Bool { _resumption.isPresent }
  /// The resume data of an earlier upload.
  @Boxed var uploadResumption: UploadResumeData?
  var isUploadResumption: Bool { _uploadResumption.isPresent }
  /// What the transfer service knows the task as; nil where this process loads it.
  @Boxed var background: BackgroundTask?
  /// A part of the name of a download's file.
  @Boxed var fileLabel: String?
  /// Why the task fails as soon as it is resumed.
  var immediateError: URLError?
  /// Whether the load waits for connectivity where its session does; else it fails, and its owner may retry.
  var waitsForConnectivity = true
  /// Whether the session's cache has a part in the load. Not where its owner keeps blocks of the resource itself.
  var usesCache = true
  /// Whether it may have one in such a task: not where its result is no response with a body, or a part of one that is there.
  var mayUseCache: Bool { usesCache && kind != .listing && !kind.isDuplex && !isResumption }
  /// Whether the request gets the session's additional header fields. Not one that is made of another request, which has those it may have.
  var addsSessionFields = true
  /// Whether the request goes out once: it is not repeated for want of an answer, and follows no redirect.
  var isSentOnce = false
  /// Whether what the URL names is described by a response, see ``URLProtocolDemand/wantsInfo``.
  var wantsInfo = false
  /// The permissions of what the request makes, see ``URLProtocolDemand/storedPermissions``.
  var storedPermissions: UInt16?
}
