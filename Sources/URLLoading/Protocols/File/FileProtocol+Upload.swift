/// Storing an upload: see ``UploadTarget``.
extension FileProtocol {
  func store(_ body: URLUploadBody) {
    guard let url = request.url else { return }
    let target: String
    do throws(URLError) {
      guard let path = try FilePath(url).text else {
        throw URLError(.badURL, message: "The name of a file to store must be UTF-8.", url: url)
      }
      target = path
    } catch {
      return fail(error)
    }
    let made: UploadTarget?
    do throws(URLError) {
      made = try makeTarget(target, url)
    } catch {
      return fail(error)
    }
    guard let made else { return }
    if case .stream = body { pump.expectLongSteps() }
    copy(UploadReader(body), to: made)
  }

  /// - Returns: nil for a load that nobody wants any more.
  private func makeTarget(_ path: String, _ url: URL) throws(URLError) -> UploadTarget? {
    guard let record = sessionClient?.session.component(UnfinishedUploads.self) else { return nil }
    let (made, code) = storing.withLock { storing -> (UploadTarget?, Int32) in
      guard !storing.isStopped else { return (nil, 0) }
      let result = UploadTarget.make(path, record)
      if case .success(let target) = result { storing.target = target }
      switch result {
      case .success(let target): return (target, 0)
      case .failure(let error): return (nil, error.code.rawValue)
      }
    }
    guard code == 0 else {
      throw code == EISDIR || code == EPERM ? OpenFile.failure(toOpen: url, code) : cannotStore(code)
    }
    return made
  }

  private func copy(_ reader: UploadReader, to target: UploadTarget) {
    let source = PumpOnly(reader)
    pump.start {
      do {
        let piece = try source.value.read(Self.chunkSize)
        guard piece.isEmpty else {
          self.sessionClient?.urlProtocol(self, didSendBodyData: try target.write(piece))
          return .more
        }
        // A body that ended because it was cancelled is not whole.
        guard !self.pump.isStopped else { return .done }
        try target.commit()
        self.didStore()
      } catch let error as POSIXError {
        self.fail(self.cannotStore(error.code.rawValue, isTorn: target.isTorn))
      } catch {
        self.client?.urlProtocol(self, didFailWithError: error)
      }
      return .done
    }
  }

  private func didStore() {
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

/// A value that only the steps of one pump use.
// Safe to share: the pump runs its steps one after another.
private struct PumpOnly<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
