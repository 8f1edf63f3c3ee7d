import URLLoading

/// The bytes of an archive that any registered protocol loads.
final class ResourceSource: ByteSource {
  let cancellation = Cancellation()
  private let reader: RandomAccessReader

  init(_ resource: RandomAccessResource) {
    let reader = resource.makeReader()
    self.reader = reader
    cancellation.onCancel { reader.cancel() }
  }

  var length: Int64? { reader.length }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    try reader.read(into: buffer, at: position)
  }
}
