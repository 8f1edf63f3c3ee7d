internal import URLLoadingHTTPSemantics

/// Storing an upload: see ``UploadTarget``.
extension FileProtocol {
  /// - Parameter permissions: those of a new file; nil for the default.
  func store(_ body: URLUploadBody, _ permissions: UInt16?) {
    guard let url = request.url else { return }
    let (target, replaces): (UploadTarget?, Bool)
    do throws(URLError) {
      replaces = try ChangeConditions.replaces(request)
      guard let path = try FilePath(url).text else {
        throw URLError(.badURL, message: "The name of a file to store must be UTF-8.", url: url)
      }
      var status = stat()
      if !replaces, lstat(path, &status) == 0 { throw cannotStore(EEXIST) }
      target = try makeTarget(path, url, permissions.map { mode_t($0 & 0o777) } ?? 0o666)
    } catch {
      return fail(error)
    }
    guard let target else { return }
    if case .stream = body { pump.expectLongSteps() }
    copy(UploadReader(body), to: target, replacing: replaces)
  }

  /// - Returns: nil for a load that was stopped.
  private func makeTarget(
    _ path: String, _ url: URL, _ permissions: mode_t
  ) throws(URLError) -> UploadTarget? {
    guard let record = sessionClient?.session.component(UnfinishedUploads.self) else { return nil }
    do throws(POSIXError) {
      return try state.withLock { (state: inout State) throws(POSIXError) -> UploadTarget? in
        guard !state.isStopped else { return nil }
        let target = try UploadTarget.make(path, record, permissions: permissions)
        state.target = target
        return target
      }
    } catch {
      let code = error.code.rawValue
      throw code == EISDIR || code == EPERM ? OpenFile.failure(toOpen: url, code) : cannotStore(code)
    }
  }

  private func copy(_ reader: UploadReader, to target: UploadTarget, replacing replaces: Bool) {
    pump.start {
      do {
        let piece = try reader.read(Self.chunkSize)
        guard piece.isEmpty else {
          self.sessionClient?.urlProtocol(self, didSendBodyData: try target.write(piece))
          return .more
        }
        // A body that ended because it was cancelled is not whole.
        guard !self.pump.isStopped else { return .done }
        try target.commit(replacing: replaces, times: self.times)
        self.didStore()
      } catch let error as POSIXError {
        self.fail(self.cannotStore(error.code.rawValue, isTorn: target.isTorn))
      } catch {
        self.client?.urlProtocol(self, didFailWithError: error)
      }
      return .done
    }
  }

  /// A representation comes with its metadata (RFC 9110, section 9.3.4): the date of what is stored is the file's.
  private var times: (used: timespec, changed: timespec)? {
    guard let field = request.value(forHTTPHeaderField: "Last-Modified"),
      let date = HTTPDate.date(from: field, now: Date())
    else { return nil }
    let seconds = date.timeIntervalSince1970.rounded(.down)
    return (timespec(tv_sec: 0, tv_nsec: UploadTarget.unchanged), timespec(tv_sec: Int(seconds), tv_nsec: 0))
  }

  func didStore() {
    guard let url = request.url else { return }
    client?.urlProtocol(
      self, didReceive: URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil),
      cacheStoragePolicy: .notAllowed)
    client?.urlProtocolDidFinishLoading(self)
  }

  private func cannotStore(_ reason: Int32, isTorn: Bool = false) -> URLError {
    URLError(
      reason == ENOENT ? .fileDoesNotExist : .cannotWriteToFile,
      message:
        "Cannot store the upload at \(request.url?.redactedDescription ?? ""): \(String(cString: strerror(reason)))."
        + (isTorn ? " It was written in place, and is not whole now." : ""),
      url: request.url, underlying: POSIXErrorCode(rawValue: reason).map { POSIXError($0) })
  }
}
