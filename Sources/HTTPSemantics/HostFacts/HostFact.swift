import Foundation

/// Something that a host has said of itself, which holds for a time.
package protocol HostFact: Sendable {
  associatedtype Key: Hashable, Comparable, Sendable
  /// Of whom it was said.
  var key: Key { get }
  /// The host's name.
  var host: String { get }
  /// When it ends.
  var expires: Date { get }
  /// When it was noted.
  var noted: Date { get }
}

extension HostFact {
  func isExpired(at now: Date) -> Bool { expires <= now }

  /// Whether it says nothing that another one does not: each response says it again, and each change is a write. What would add less than a
  /// hundredth of its time is not noted.
  func addsNothing(to known: Self, now: Date) -> Bool {
    let added = expires.timeIntervalSince(known.expires)
    return added >= 0 && added < expires.timeIntervalSince(now) / 100 && !known.isExpired(at: now)
  }
}
