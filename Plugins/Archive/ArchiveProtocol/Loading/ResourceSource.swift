import Foundation
import URLLoading

/// The bytes of an archive that any registered protocol loads.
final class ResourceSource: ByteSource {
  private let reader: RandomAccessReader

  init(_ resource: RandomAccessResource) {
    reader = resource.makeReader()
  }

  var length: Int64? { reader.length }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    try reader.read(into: buffer, at: position)
  }

  func cancel() { reader.cancel() }
}
