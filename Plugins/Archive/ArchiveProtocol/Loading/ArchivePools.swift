import URLLoading

/// The threads that read archives: pools of their own for every depth of nesting.
///
/// A thread that reads an archive waits for the bytes of that archive, which, where it is a member of another, threads of the next
/// lower depth deliver. In one pool at its limit all could wait for each other.
struct ArchivePools: Sendable {
  static let shared = ArchivePools()

  /// Depths that have pools of their own; what is nested deeper is refused before.
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

  /// For reading members; these wait for work of the pool for opening.
  func loading(depth: Int) -> BlockingPool { loading[min(max(depth, 1), Self.maximumDepth) - 1] }
}
