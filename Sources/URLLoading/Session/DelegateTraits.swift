internal import Synchronization
internal import URLLoadingBase

/// Which methods the delegates of one class implement, as far as that was found out: Swift has no optional protocol methods to ask.
///
/// Mutable state: two sets of bits, atomics that only grow; `known`, guarded by its lock.
final class DelegateTraits: Sendable {
  private let present = Atomic<UInt32>(0)
  private let absent = Atomic<UInt32>(0)

  private static let known = Locked<[ObjectIdentifier: DelegateTraits]>([:])

  /// What is known of the class of `delegate`.
  static func of(_ delegate: any URLSessionDelegate) -> DelegateTraits {
    known.withLock { known in
      let key = ObjectIdentifier(type(of: delegate))
      if let traits = known[key] { return traits }
      let traits = DelegateTraits()
      known[key] = traits
      return traits
    }
  }

  /// Nil while that is not known.
  func has(_ method: DelegateMethod) -> Bool? {
    let bit: UInt32 = 1 << method.rawValue
    if present.load(ordering: .relaxed) & bit != 0 { return true }
    return absent.load(ordering: .relaxed) & bit != 0 ? false : nil
  }

  func note(_ method: DelegateMethod, isPresent: Bool) {
    let bit: UInt32 = 1 << method.rawValue
    if isPresent {
      present.bitwiseOr(bit, ordering: .relaxed)
    } else {
      absent.bitwiseOr(bit, ordering: .relaxed)
    }
  }
}
