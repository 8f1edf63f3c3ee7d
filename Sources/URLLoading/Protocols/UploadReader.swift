internal import URLLoadingBase
internal import URLLoadingCLinux

/// Reads the body of an upload piece by piece; blocks.
// Safe to share: used by one thread at a time, a step of a pump or a job of a pool, or by the transfer loop while there is no job.
package final class UploadReader: @unchecked Sendable {
  /// The error's number, negated, where the file could not be opened.
  private var descriptor: Int32 = -1
  private var stream: InputStream?
  private var expected: Int64?
  private var count: Int64 = 0
  /// What the file was when it was opened.
  private var version: FileVersion?
  private var url: URL?
  /// Flags for a read from the page cache that does not block on the disk; nil where that is not supported, or no longer of use.
  private var flagsOfImmediateReads: Int32?

  package init(_ body: URLUploadBody) {
    switch body {
    case .file(let file, let length):
      let opened = open(file.path, O_RDONLY | O_CLOEXEC)
      descriptor = opened >= 0 ? opened : -errno
      expected = length
      url = file
      let flags = immediate_read_flags(descriptor)
      flagsOfImmediateReads = flags >= 0 ? flags : nil
      version = FileVersion(of: descriptor)
    case .stream(let input, _): stream = input
    case .data(let data): stream = InputStream(data: data)
    }
    if let stream, stream.streamStatus == .notOpen { stream.open() }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    stream?.close()
  }

  /// Whether ``readAtOnce(into:)`` is worth a call.
  var readsAtOnce: Bool { flagsOfImmediateReads != nil }

  /// Reads a file from the page cache; does not block.
  ///
  /// - Returns: How many bytes there were. Nil where the disk has to be waited for, from there to the end; also at the end, and where
  ///   the file cannot be read: ``read(_:)`` says which.
  func readAtOnce(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard let flags = flagsOfImmediateReads else { return nil }
    let rest = expected.map { Int(min(Int64(buffer.count), $0 - count)) } ?? buffer.count
    let result = immediate_read(descriptor, buffer.baseAddress, max(rest, 0), -1, flags)
    guard result > 0 else {
      flagsOfImmediateReads = nil
      return nil
    }
    count += Int64(result)
    // The last piece of a file that has changed is withheld, and with it the end of the request: ``read(_:)`` says why.
    if hasChanged {
      flagsOfImmediateReads = nil
      return nil
    }
    return result
  }

  /// The next piece; empty at the end.
  package func read(_ limit: Int) throws -> [UInt8] {
    let piece = try stream.map { try read($0, limit) } ?? readFile(limit)
    count += Int64(piece.count)
    if piece.isEmpty, let expected, count < expected {
      throw URLError(
        .cannotDecodeRawData,
        message: "The file to upload shrank while it was sent: \(url?.path ?? "").", url: url)
    }
    if hasChanged {
      throw URLError(
        .cannotDecodeRawData,
        message: "The file to upload changed while it was sent: \(url?.path ?? ""). Upload it anew, or a copy of it.",
        url: url)
    }
    return piece
  }

  /// Whether all was read, and it is not what was announced: the parts would be of more than one version.
  private var hasChanged: Bool {
    guard let expected, count == expected, let version else { return false }
    return version.size != expected || FileVersion(of: descriptor) != version
  }

  private func readFile(_ limit: Int) throws -> [UInt8] {
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(-descriptor))
      throw URLError(
        .cannotOpenFile, message: "The file to upload cannot be opened: \(url?.path ?? ""): \(reason).", url: url,
        underlying: POSIXErrorCode(rawValue: -descriptor).map { POSIXError($0) })
    }
    // Bytes appended since the length was announced are not sent.
    let rest = expected.map { Int(min(Int64(limit), $0 - count)) } ?? limit
    guard rest > 0 else { return [] }
    return try [UInt8](unsafeUninitializedCapacity: rest) { buffer, initialized in
      let result = DescriptorIO.uninterrupted { Glibc.read(descriptor, buffer.baseAddress, rest) }
      guard result >= 0 else { throw POSIXError.ofLastCall }
      initialized = result
    }
  }

  private func read(_ stream: InputStream, _ limit: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
      guard let start = buffer.baseAddress else { return }
      let result = stream.read(start, maxLength: limit)
      guard result >= 0 else {
        throw stream.streamError
          ?? URLError(.requestBodyStreamExhausted, message: "The body stream cannot be read.", url: nil)
      }
      initialized = result
    }
  }
}
