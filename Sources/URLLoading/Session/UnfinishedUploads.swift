internal import URLLoadingBase

/// The files that uploads of a session have begun to store and not finished: temporary ones beside their targets, and targets that
/// are being written in place.
///
/// An upload that is cancelled or fails removes its temporary file in the background, at a server perhaps; its task has ended by then.
/// A session tells its delegate that it is invalid only after that. A program that is about to end otherwise waits like this:
///
/// ```swift
/// let left = await session.component(UnfinishedUploads.self).settle(within: .seconds(3))
/// ```
///
/// Protocol classes that store something note here what would be left of it.
///
/// Mutable state: `state`, guarded by its lock. Nothing is called while it is held.
public final class UnfinishedUploads: URLSessionComponent {
  /// Stands for a file, or for work that may make one.
  public struct Mark: Hashable, Sendable {
    fileprivate let number: Int
  }

  private struct Entry {
    var url: URL?
    /// Somebody finishes it, or removes it.
    var isUnderWay = true
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var nextNumber = 0
    var underWayCount = 0
    var waiters: [Int: @Sendable () -> Void] = [:]
    /// What was given up, the oldest first.
    var givenUp: [Int] = []
  }

  /// More files that were given up are not remembered: it is the oldest that are forgotten.
  private static let largestGivenUpCount = 1000

  private let state = Locked(State())

  /// Makes the record of a session; see ``URLSession/component(_:)``.
  public init(configuration: URLSessionConfiguration) {}

  /// Does nothing: what is under way goes on.
  public func flush() {}

  /// Does nothing: what is under way goes on.
  public func invalidate() {}

  // MARK: For protocol classes

  /// A file is about to be made, or to be written in place.
  /// - Parameter url: the file, told without its password; nil for work of which nothing can be left yet, but which is waited for.
  public func begin(_ url: URL?) -> Mark {
    let told = url.map { Self.withoutPassword($0) }
    return state.withLock { state in
      let number = state.nextNumber
      state.nextNumber += 1
      state.entries[number] = Entry(url: told)
      state.underWayCount += 1
      return Mark(number: number)
    }
  }

  /// The file has gone, or is whole under its name. May be called again.
  public func end(_ mark: Mark) {
    finish(mark) { state in
      state.entries[mark.number] = nil
      state.givenUp.removeAll { $0 == mark.number }
    }
  }

  /// Nobody goes on with the file, nor removes it: it stays as it is, as far as is known.
  public func giveUp(_ mark: Mark) {
    finish(mark) { state in
      guard state.entries[mark.number]?.isUnderWay == true else { return }
      state.entries[mark.number]?.isUnderWay = false
      state.givenUp.append(mark.number)
      if state.givenUp.count > Self.largestGivenUpCount { state.entries[state.givenUp.removeFirst()] = nil }
    }
  }

  private func finish(_ mark: Mark, _ change: (inout State) -> Void) {
    let waiters = state.withLock { state -> [@Sendable () -> Void] in
      let wasUnderWay = state.entries[mark.number]?.isUnderWay == true
      change(&state)
      if wasUnderWay { state.underWayCount -= 1 }
      guard wasUnderWay, state.underWayCount == 0 else { return [] }
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter() }
  }

  // MARK: For programs

  /// The files that there may be now, in the order in which they were begun.
  public var urls: [URL] {
    state.withLock { state in state.entries.sorted { $0.key < $1.key }.compactMap(\.value.url) }
  }

  /// Waits until nothing is under way: every upload has ended, and what it left was removed or given up.
  /// - Parameter limit: how long to wait at most.
  /// - Returns: the files that are left, or may be.
  public func settle(within limit: Duration) async -> [URL] {
    await withCheckedContinuation { continuation in
      whenSettled(within: limit) { continuation.resume() }
    }
    return urls
  }

  /// Calls the function, once, when nothing is under way or the limit has passed.
  func whenSettled(within limit: Duration, _ function: @escaping @Sendable () -> Void) {
    let number = state.withLock { state -> Int? in
      guard state.underWayCount > 0 else { return nil }
      let number = state.nextNumber
      state.nextNumber += 1
      state.waiters[number] = function
      return number
    }
    guard let number else { return function() }
    let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
      self?.state.withLock { $0.waiters.removeValue(forKey: number) }?()
    }
  }

  private static func withoutPassword(_ url: URL) -> URL {
    guard url.password(percentEncoded: true) != nil,
      var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return url }
    components.password = nil
    return components.url ?? url
  }
}
