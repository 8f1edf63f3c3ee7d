import Foundation
import OpenCombine

/// For `decode(type:decoder:)`.
extension JSONDecoder: @retroactive TopLevelDecoder {
  /// Bytes of JSON.
  public typealias Input = Data
}
