internal import URLLoadingBase

/// The files that uploads of a session have begun to store and not finished: temporary files beside their targets, and targets that
/// are being written in place.
///
/// An upload that was cancelled or has failed removes its temporary file after its task has ended, in the background and perhaps on a
/// server. A session calls `urlSession(_:didBecomeInvalidWithError:)` after that. A program that ends without it waits like this:
///
/// ```swift
/// let left = await session.component(UnfinishedUploads.self).settle(within: .seconds(3))
/// ```
///
/// Protocol classes that store files record here which files may be left.
///
/// Mutable state: `state`, guarded by its lock; no function is called under it.
public final class UnfinishedUploads: URLSessionComponent {
  /// Identifies a file, or work that may create one.
  public struct Mark: Hashable, Sendable {
    fileprivate let number: Int
  }

  private struct Entry {
    var url: URL?
    /// It is being completed or removed.
    var isUnderWay = true
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var nextNumber = 0
    var underWayCount = 0
    var waiters: [Int: @Sendable () -> Void] = [:]
    /// The numbers of the files that were given up, the oldest first.
    var givenUp: [Int] = []
  }

  /// Files that were given up; of more than these the oldest are forgotten.
  private static let largestGivenUpCount = 1000

  private let state = Locked(State())

  /// Makes the record of a session; see ``URLSession/component(_:)``.
  public init(configuration: URLSessionConfiguration) {}

  /// Does nothing: what is under way continues.
  public func flush() {}

  /// Does nothing: what is under way continues.
  public func invalidate() {}

  // MARK: For protocol classes

  /// A file is about to be made, or to be written in place.
  /// - Parameter url: the file, recorded without its password; nil for work that has not created a file yet, but must
  ///   be awaited.
  public func begin(_ url: URL?) -> Mark {
    let recorded = url.map { Self.withoutPassword($0) }
    return state.withLock { state in
      let number = state.nextNumber
      state.nextNumber += 1
      state.entries[number] = Entry(url: recorded)
      state.underWayCount += 1
      return Mark(number: number)
    }
  }

  /// The file was removed, or is whole under its name. May be called again.
  public func end(_ mark: Mark) {
    finish(mark) { state in
      state.entries[mark.number] = nil
      state.givenUp.removeAll { $0 == mark.number }
    }
  }

  /// The file is neither finished nor removed: as far as is known it stays as it is.
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

  /// The unfinished files that may exist now, in the order in which they were begun.
  public var urls: [URL] {
    state.withLock { state in state.entries.sorted { $0.key < $1.key }.compactMap(\.value.url) }
  }

  /// Waits until every upload has ended and its file was finished, removed or given up.
  /// - Parameter limit: how long to wait at most.
  /// - Returns: the unfinished files that may exist.
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
    DispatchQueue.global().asyncAfter(deadline: .now() + limit.dispatchInterval) { [weak self] in
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
