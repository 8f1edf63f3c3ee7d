import URLLoading

/// The threads that read archives: pools of their own for every depth of nesting.
///
/// A thread that reads a nested archive waits for bytes that a thread of the next lower depth delivers. In one pool at its limit
/// that would be a deadlock.
struct ArchivePools: Sendable {
  static let shared = ArchivePools()

  /// The deepest nesting that is loaded.
  static let maximumDepth = 16

  private let opening: [BlockingPool]
  private let loading: [BlockingPool]

  private init() {
    opening = (1...Self.maximumDepth).map { BlockingPool(name: "Archive index \($0)", maximumThreadCount: 64) }
    loading = (1...Self.maximumDepth).map { BlockingPool(name: "Archive member \($0)", maximumThreadCount: 256) }
  }

  /// For reading the directory of an archive.
  /// - Parameter depth: 1 for an archive that is no member of another.
  func opening(depth: Int) -> BlockingPool { opening[min(max(depth, 1), Self.maximumDepth) - 1] }

  /// For reading members. Its threads wait for work of the other pool.
  func loading(depth: Int) -> BlockingPool { loading[min(max(depth, 1), Self.maximumDepth) - 1] }
}
