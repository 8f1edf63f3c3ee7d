import Foundation
internal import URLLoadingBase

/// The progress of a load, for the display.
///
/// Mutable state: `state`, guarded by its lock.
final class LoadStatus: Sendable {
  struct Snapshot: Sendable {
    var name: String
    var done: Int64 = 0
    var total: Int64?
    var hasBegun = false
    var hasEnded = false
    var hasFailed = false
  }

  private let state: Locked<Snapshot>

  init(name: String) {
    state = Locked(Snapshot(name: name))
  }

  var snapshot: Snapshot { state.withLock { $0 } }

  func update(_ change: (inout Snapshot) -> Void) {
    state.withLock { change(&$0) }
  }
}
