internal import URLLoadingBase

/// Loads `file:` URLs, stores uploads in them, lists directories, and removes, makes, moves and copies what they name.
///
/// Regular files are read in pieces on a thread pool. Pipes, sockets and devices are read when they are readable; no thread blocks
/// on them. Files of the kernel whose size says nothing are read in the same way.
///
/// Mutable state: `pump`'s own; `state`, guarded by its lock.
// Safe to share: the mutable state is guarded as said above.
final class FileProtocol: URLProtocol, @unchecked Sendable {
  static let chunkSize = 256 << 10

  /// What the end of the load releases.
  struct State {
    /// Of a pipe or a device that has nothing to read.
    var watch: ReadinessMonitor.Watch?
    /// What an upload stores into.
    var target: UploadTarget?
    var isStopped = false
  }

  let pump = ChunkPump()
  let state = Locked(State())

  override class func canInit(with request: URLRequest) -> Bool {
    request.url?.isFileURL ?? false
  }

  /// Made once: every load reads it.
  private static let declared: Capabilities = [
    .byteRanges, .upload, .listing, .resourceInfo, .nonblocking, .background, .schemes("file"),
    .acceptedHTTPMethods("GET", "HEAD", "PUT", "DELETE", "MKCOL", "MOVE", "COPY"),
  ]

  override class var capabilities: Capabilities { declared }

  override func startLoading() {
    let client = sessionClient
    let demand = client?.urlProtocolDemand(self) ?? URLProtocolDemand()
    let (wantsEntries, wantsInfo, permissions) = (demand.wantsEntries, demand.wantsInfo, demand.storedPermissions)
    pump.follow(client?.gate)
    pump.start {
      if wantsEntries {
        self.list()
      } else if wantsInfo {
        self.describe()
      } else if let body = client?.urlProtocolUploadBody(self) {
        self.store(body, permissions)
      } else {
        self.beginChange(permissions)
      }
      return .more
    }
  }

  override func stopLoading() {
    pump.stop()
    let (watch, target) = state.withLock { state in
      state.isStopped = true
      return (state.watch, state.target.take())
    }
    if let watch { ReadinessMonitor.shared.cancel(watch) }
    // Here, since a step that waits for the body keeps the target for as long.
    target?.discard()
  }

  func fail(_ error: URLError) {
    client?.urlProtocol(self, didFailWithError: error)
    pump.stop()
  }

  // MARK: Reading

  func begin() {
    guard let url = request.url else { return }
    let file: OpenFile
    do {
      file = try OpenFile(reading: url)
    } catch {
      return fail(error)
    }
    guard file.hasLength else { return stream(file, url) }
    let validators = file.validators
    let selection = request.byteRange(ofLength: file.length, validators: validators)
    guard let (bytes, contentRange) = selection.bytes(ofLength: file.length) else {
      return fail(.unsatisfiableRange(of: request, length: file.length))
    }
    client?.urlProtocol(
      self,
      didReceive: URLResponse(
        url: url, mimeType: file.mimeType, expectedContentLength: Int64(bytes.count),
        textEncodingName: file.textEncodingName, contentRange: contentRange, validators: validators,
        acceptsByteRanges: true, permissions: file.permissions),
      cacheStoragePolicy: .notAllowed)
    send(file, request.httpMethod == "HEAD" ? 0..<0 : bytes)
  }

  private func send(_ file: OpenFile, _ bytes: Range<Int64>) {
    let next = Locked(bytes.lowerBound)
    pump.start {
      let position = next.withLock { $0 }
      guard position < bytes.upperBound else {
        self.client?.urlProtocolDidFinishLoading(self)
        return .done
      }
      let wanted = Int(min(Int64(Self.chunkSize), bytes.upperBound - position))
      // The piece owns the memory that it was read into.
      guard let block = BodyMemory.shared.take(atLeast: wanted) else {
        self.fail(file.readFailure(ENOMEM))
        return .done
      }
      let count = DescriptorIO.uninterrupted { pread(file.descriptor, block.start, wanted, off_t(position)) }
      guard count > 0 else {
        let reason = errno
        BodyMemory.shared.recycle(block)
        self.fail(count == 0 ? file.readFailure("it shrank while it was read") : file.readFailure(reason))
        return .done
      }
      next.withLock { $0 += Int64(count) }
      self.client?.urlProtocol(self, didLoad: BodyMemory.shared.data(block, count: count))
      return .more
    }
  }

  // MARK: Pipes, devices, and files of unknown length

  private func stream(_ file: OpenFile, _ url: URL) {
    client?.urlProtocol(
      self,
      didReceive: URLResponse(
        url: url, mimeType: file.mimeType, expectedContentLength: -1, textEncodingName: file.textEncodingName),
      cacheStoragePolicy: .notAllowed)
    guard request.httpMethod != "HEAD" else {
      client?.urlProtocolDidFinishLoading(self)
      return
    }
    pump.start {
      // Without a writer, reading a pipe looks like its end: ask before the read.
      guard file.isReady else { return self.waitForBytes(of: file) }
      guard let block = BodyMemory.shared.take(atLeast: Self.chunkSize) else {
        self.fail(file.readFailure(ENOMEM))
        return .done
      }
      defer { BodyMemory.shared.recycle(block) }
      let count = DescriptorIO.uninterrupted { read(file.descriptor, block.start, Self.chunkSize) }
      switch count {
      case 0:
        self.client?.urlProtocolDidFinishLoading(self)
        return .done
      case 1...:
        self.sessionClient?.urlProtocol(self, didLoad: UnsafeRawBufferPointer(start: block.start, count: count))
        return .more
      case _ where errno == EAGAIN: return self.waitForBytes(of: file)
      default:
        self.fail(file.readFailure(errno))
        return .done
      }
    }
  }

  private func waitForBytes(of file: OpenFile) -> ChunkPump.Step {
    let watch = ReadinessMonitor.shared.watch(file.descriptor, of: file) { [pump] in pump.wake() }
    let isStopped = state.withLock { state in
      state.watch = watch
      return state.isStopped
    }
    if isStopped { ReadinessMonitor.shared.cancel(watch) }
    return .wait
  }
}
