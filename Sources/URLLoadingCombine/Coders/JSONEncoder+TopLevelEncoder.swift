import Foundation
import OpenCombine

/// For `encode(encoder:)`.
extension JSONEncoder: @retroactive TopLevelEncoder {
  /// Bytes of JSON.
  public typealias Output = Data
}
