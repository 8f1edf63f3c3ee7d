import Foundation
import OpenCombine

/// For `encode(encoder:)`.
extension PropertyListEncoder: @retroactive TopLevelEncoder {
  /// Bytes of a property list.
  public typealias Output = Data
}
