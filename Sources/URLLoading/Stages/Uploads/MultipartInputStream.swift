internal import URLLoadingBase

/// The body of a form as a stream, of which files are opened one at a time.
///
/// Mutable state: as of every stream, used by one thread at a time.
final class MultipartInputStream: InputStream {
  /// What an upload sends in place of this stream, with its length and as often as needed; nil for a stream that is read once.
  let form: MultipartFormData?
  private var pieces: ArraySlice<MultipartFormData.Piece>
  /// Bytes of the first piece that were read.
  private var offset: Int64 = 0
  private var file: DescriptorInputStream?
  private var status = Stream.Status.notOpen
  private var failure: (any Error)?

  /// The whole body of a form.
  convenience init(standingFor form: MultipartFormData) {
    self.init(form.pieces, form: form)
  }

  /// - Parameter start: the first byte that is read.
  init(_ pieces: [MultipartFormData.Piece], from start: Int64 = 0, form: MultipartFormData? = nil) {
    self.form = form
    self.pieces = pieces[...]
    offset = start
    while let first = self.pieces.first, first.length <= offset {
      offset -= first.length
      self.pieces.removeFirst()
    }
    super.init(data: Data())
  }

  override var streamStatus: Stream.Status { status }
  override var streamError: (any Error)? { failure }
  override var hasBytesAvailable: Bool { status == .open }

  override func open() {
    if status == .notOpen { status = .open }
  }

  override func close() {
    file?.close()
    file = nil
    status = .closed
  }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
    guard status == .open else { return status == .atEnd ? 0 : -1 }
    var count = 0
    while count < length, let piece = pieces.first {
      let rest = Int(min(Int64(length - count), piece.length - offset))
      guard file != nil || isUnchanged(piece) else { return fail(piece) }
      switch piece {
      case .bytes(let data):
        data.copyBytes(to: buffer + count, from: data.startIndex + Int(offset)..<data.startIndex + Int(offset) + rest)
        count += rest
        offset += Int64(rest)
      case .file(let path, _):
        let read = rest > 0 ? read(from: path, buffer + count, rest) : 0
        guard read >= 0 else { return -1 }
        count += read
        offset += Int64(read)
      case .spool(let spool, _):
        guard rest == 0 || fill(buffer + count, rest, from: spool) else { return -1 }
        count += rest
        offset += Int64(rest)
      }
      if offset == piece.length {
        // The bytes sent of a file that changed meanwhile are not a version of it.
        guard isUnchanged(piece) else { return fail(piece) }
        file?.close()
        file = nil
        pieces.removeFirst()
        offset = 0
      }
    }
    if count == 0, length > 0 { status = .atEnd }
    return count
  }

  // Nothing is buffered that could be lent.
  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  private func read(from path: String, _ buffer: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
    if file == nil {
      file = DescriptorInputStream(file: path, from: offset)
      file?.open()
    }
    let read = file?.read(buffer, maxLength: count) ?? -1
    if read < 0 {
      failure = file?.streamError
      status = .error
      return -1
    }
    // The file has become shorter: what was announced cannot be sent.
    return read > 0 ? read : fail(pieces.first)
  }

  private func fill(_ buffer: UnsafeMutablePointer<UInt8>, _ count: Int, from spool: SpoolFile) -> Bool {
    do throws(SpoolFile.Failure) {
      let target = UnsafeMutableRawBufferPointer(start: buffer, count: count)
      guard try spool.read(into: target, at: offset) == count else { throw .truncation }
      return true
    } catch {
      failure = error
      status = .error
      return false
    }
  }

  private func isUnchanged(_ piece: MultipartFormData.Piece) -> Bool {
    guard case .file(let path, let version) = piece else { return true }
    return UploadFileVersion(ofFile: URL(fileURLWithPath: path)) == version
  }

  private func fail(_ piece: MultipartFormData.Piece?) -> Int {
    let path = if case .file(let path, _) = piece { path } else { "" }
    failure = CocoaError(
      .fileReadUnknown,
      userInfo: [
        NSFilePathErrorKey: path,
        NSLocalizedDescriptionKey: "The file \(path) has changed since it was added to the form.",
      ])
    status = .error
    return -1
  }
}
