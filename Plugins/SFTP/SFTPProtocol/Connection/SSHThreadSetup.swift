internal import URLLoadingBase

/// What the thread of each new connection runs first: nothing, unless a product such as `SFTPKeystream` sets it.
///
/// Mutable state: `setup`, guarded by its lock.
package enum SSHThreadSetup {
  package typealias Setup = @Sendable () -> Void

  private static let setup = Locked<Setup?>(nil)

  package static var current: Setup? { setup.withLock { $0 } }

  package static func set(_ new: Setup?) { setup.withLock { $0 = new } }
}
