import Foundation
import OpenCombine

/// For `decode(type:decoder:)`.
extension PropertyListDecoder: @retroactive TopLevelDecoder {
  /// Bytes of a property list.
  public typealias Input = Data
}
