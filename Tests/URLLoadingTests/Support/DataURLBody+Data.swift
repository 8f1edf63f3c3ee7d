import Foundation

@testable import URLLoading

extension DataURLBody {
  /// The bytes of a range, gathered from pieces.
  func decode(range: Range<Int>) throws -> Data {
    var data = Data()
    var start = max(0, range.lowerBound)
    while start < range.upperBound {
      let count = try withPiece(of: start..<range.upperBound) { data.append(contentsOf: $0) }
      if count == 0 { break }
      start += count
    }
    return data
  }

  /// The whole body.
  func decode() throws -> Data { try decode(range: 0..<count) }
}
