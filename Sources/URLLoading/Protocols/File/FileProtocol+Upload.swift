/// Storing an upload: in a temporary file beside the target, which takes its place when it is whole.
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
    var status = stat()
    if stat(target, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      return fail(OpenFile.failure(toOpen: url, status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EPERM))
    }
    let temporary = "\(target).\(UInt64.random(in: 0 ... .max))"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { return fail(cannotStore(errno)) }
    if case .stream = body { pump.expectLongSteps() }
    copy(UploadReader(body), to: UploadTarget(descriptor: descriptor, temporary: temporary, path: target))
  }

  private func copy(_ reader: UploadReader, to target: UploadTarget) {
    let source = PumpOnly(reader)
    pump.start {
      do {
        let piece = try source.value.read(Self.chunkSize)
        guard piece.isEmpty else {
          self.loadClient?.urlProtocol(self, didSendBodyData: try target.write(piece))
          return .more
        }
        // A body that ended because it was cancelled is not whole.
        guard !self.pump.isStopped else { return .done }
        try target.commit()
        self.didStore()
      } catch let error as POSIXError {
        self.fail(self.cannotStore(error.code.rawValue))
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

  private func cannotStore(_ reason: Int32) -> URLError {
    URLError(
      reason == ENOENT ? .fileDoesNotExist : .cannotWriteToFile,
      message:
        "Cannot store the upload at \(request.url?.redactedDescription ?? ""): \(String(cString: strerror(reason))).",
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

/// The temporary file of an upload; removed unless it was committed. Used by one step of a pump at a time.
// Safe to share: the pump runs its steps one after another.
private final class UploadTarget: @unchecked Sendable {
  private var descriptor: Int32
  private let temporary: String
  private let path: String
  private var written: Int64 = 0
  private var isCommitted = false

  init(descriptor: Int32, temporary: String, path: String) {
    self.descriptor = descriptor
    self.temporary = temporary
    self.path = path
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if !isCommitted { unlink(temporary) }
  }

  /// Writes a piece.
  /// - Returns: bytes written so far.
  func write(_ piece: [UInt8]) throws -> Int64 {
    var start = 0
    while start < piece.count {
      let count = piece.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      start += count
    }
    written += Int64(piece.count)
    return written
  }

  /// Puts the file in the target's place.
  func commit() throws {
    var mode = stat()
    if stat(path, &mode) == 0 { _ = fchmod(descriptor, mode.st_mode & 0o777) }
    let closed = close(descriptor)
    descriptor = -1
    guard closed == 0, rename(temporary, path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    isCommitted = true
  }
}
