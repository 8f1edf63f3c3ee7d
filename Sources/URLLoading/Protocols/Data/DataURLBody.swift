import Foundation
internal import URLLoadingBase

/// The body of a `data:` URL.
///
/// A body without escapes or whitespace stays as it is in the URL's text, and any range of it is decoded alone. Any
/// other body is decoded whole when the URL is parsed.
struct DataURLBody: Sendable {
  private enum Storage {
    /// The bytes are the text itself.
    case literal(String, offset: Int)
    /// Base64 in one piece; every four bytes of text are three of the body.
    case base64(String, offset: Int, length: Int)
    case decoded(Data)
  }

  /// Of a length that a near cache has room for, beside as much text.
  static let largestPiece = 192 << 10

  private let storage: Storage
  /// The number of bytes of the decoded body.
  let count: Int

  /// Checks the body in `range` of the UTF-8 bytes of `text`; nil when it is not the Base64 it should be.
  init?(text: String, range: Range<Int>, isBase64: Bool) {
    let result = text.utf8.withContiguousStorageIfAvailable { utf8 in
      Self.inspect(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(utf8)[range]), isBase64: isBase64)
    }
    switch result {
    case .literal?:
      self.init(storage: .literal(text, offset: range.lowerBound), count: range.count)
    case .base64(let length)?:
      self.init(storage: .base64(text, offset: range.lowerBound, length: length), count: length * 3 / 4)
    case .decoded(let data)?:
      self.init(storage: .decoded(data), count: data.count)
    case .invalid?, nil:
      return nil
    }
  }

  private init(storage: Storage, count: Int) {
    self.storage = storage
    self.count = count
  }

  /// Calls `use` with the first bytes of a range, which is clamped to the body: at most ``largestPiece`` of them.
  ///
  /// The bytes are there during the call only. Those of Base64 are decoded into memory that the last piece had, too: it is
  /// in a near cache still, unlike fresh memory.
  ///
  /// - Returns: how many bytes; 0 where the range has none.
  func withPiece(of range: Range<Int>, _ use: (UnsafeRawBufferPointer) -> Void) throws(POSIXError) -> Int {
    let start = max(0, range.lowerBound)
    let end = min(range.upperBound, count, start + Self.largestPiece)
    guard start < end else { return 0 }
    switch storage {
    case .literal(var text, let offset):
      text.withUTF8 { use(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0)[offset + start..<offset + end])) }
    case .base64(var text, let offset, let length):
      let groups = start / 3..<(end + 2) / 3
      let encoded = groups.lowerBound * 4..<min(groups.upperBound * 4, length)
      guard let block = BodyMemory.shared.take(atLeast: Base64Decoder.outputCapacity(forInput: encoded.count)) else {
        throw POSIXError(.ENOMEM)
      }
      defer { BodyMemory.shared.recycle(block) }
      let decoded = text.withUTF8 { text in
        let slice = UnsafeRawBufferPointer(text)[offset + encoded.lowerBound..<offset + encoded.upperBound]
        return Base64Decoder.decode(plain: UnsafeRawBufferPointer(rebasing: slice), into: block.start)
      }
      guard let decoded else { throw POSIXError(.EILSEQ) }
      let first = start - groups.lowerBound * 3
      use(
        UnsafeRawBufferPointer(
          rebasing: UnsafeRawBufferPointer(start: block.start, count: decoded)[first..<first + end - start]))
    case .decoded(let all):
      all.withUnsafeBytes { use(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }
    return end - start
  }

  private enum Inspection {
    case literal
    case base64(length: Int)
    case decoded(Data)
    case invalid
  }

  private static func inspect(_ body: UnsafeRawBufferPointer, isBase64: Bool) -> Inspection {
    guard let start = body.baseAddress else { return .literal }
    guard isBase64 else {
      return memchr(start, Int32(UInt8(ascii: "%")), body.count) == nil ? .literal : .decoded(percentDecoded(body))
    }
    var length = body.count
    if length % 4 == 0, length > 0 {
      if body[length - 1] == UInt8(ascii: "=") { length -= 1 }
      if length % 4 == 3, body[length - 1] == UInt8(ascii: "=") { length -= 1 }
    }
    if length % 4 != 1, Base64Decoder.isPlain(UnsafeRawBufferPointer(rebasing: body[..<length])) {
      return .base64(length: length)
    }
    return Base64Decoder.decode(body, percentDecoding: true).map { .decoded($0) } ?? .invalid
  }

  /// Decodes the escapes of RFC 3986 section 2.1; a percent sign that starts none stands for itself.
  private static func percentDecoded(_ body: UnsafeRawBufferPointer) -> Data {
    var data = Data()
    data.reserveCapacity(body.count)
    var index = 0
    while index < body.count {
      let tail = UnsafeRawBufferPointer(rebasing: body[index...])
      let run = tail.baseAddress.flatMap { memchr($0, Int32(UInt8(ascii: "%")), tail.count) }
      let length = run.flatMap { mark in tail.baseAddress.map { UnsafeRawPointer(mark) - $0 } } ?? tail.count
      data.append(contentsOf: tail[..<length])
      index += length
      guard index < body.count else { break }
      if index + 2 < body.count, let high = hexadecimalValue(body[index + 1]),
        let low = hexadecimalValue(body[index + 2])
      {
        data.append(high << 4 | low)
        index += 3
      } else {
        data.append(UInt8(ascii: "%"))
        index += 1
      }
    }
    return data
  }
}
