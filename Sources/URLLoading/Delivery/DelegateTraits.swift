internal import URLLoadingBase

/// Which methods the delegates of one class implement, as far as that is known: Swift has no optional protocol methods to ask.
///
/// Mutable state: `presence` and `known`, each guarded by its lock.
final class DelegateTraits: Sendable {
  /// By the methods' raw values; nil for what is not known.
  private let presence = Locked([Bool?](repeating: nil, count: DelegateMethod.allCases.count))

  private static let known = Locked<[ObjectIdentifier: DelegateTraits]>([:])

  /// The known traits of the class of `delegate`.
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
  func has(_ method: DelegateMethod) -> Bool? { presence.withLock { $0[method.rawValue] } }

  func record(_ method: DelegateMethod, isPresent: Bool) {
    presence.withLock { $0[method.rawValue] = isPresent }
  }
}
