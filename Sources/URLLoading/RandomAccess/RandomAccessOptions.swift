/// How a ``RandomAccessResource`` reads, and what it may use for it.
public struct RandomAccessOptions: Sendable, Hashable {
  /// What the very first request asks for. Its answer tells the length of the resource, so there is no other request for that.
  @frozen public enum FirstRange: Sendable, Hashable {
    /// The first so many bytes, rounded up to whole blocks.
    case beginning(Int)
    /// The last so many bytes: where some formats, such as zip, have their directory. Of a server that refuses such a range the first
    /// bytes are requested, and then all.
    case suffix(Int)
    /// So many bytes from a position on, rounded to whole blocks: for a reader that knows already where to look. A resource
    /// that ends before them is an error.
    case positions(first: Int64, count: Int)
  }

  /// The bytes of a block, the smallest piece that is loaded and kept. 32 KiB by default; at least 512, at most 16 MiB.
  public var blockSize = 32 << 10

  /// The bytes that are kept in memory for all readers of the resource together: 8 MiB by default, and never less than
  /// two blocks. Half of it is the most that one request asks for.
  public var maximumCachedBytes = 8 << 20

  /// The bytes that are loaded ahead of a reader that reads sequentially: 1 MiB by default; 0 for none. A reader that
  /// jumps about has only the blocks loaded that it asks for.
  public var maximumReadAhead = 1 << 20

  /// What the first request asks for, at most ``maximumCachedBytes`` of it: the first 32 KiB by default.
  public var firstRange = FirstRange.beginning(32 << 10)

  /// Where the file is made that holds a resource without byte ranges; nil for the system's temporary directory. The file
  /// has no name.
  public var temporaryDirectory: URL?

  /// The bytes that such a file may have: 16 GiB by default. A larger resource is an error.
  public var maximumSpooledBytes: Int64 = 16 << 30

  /// Whether requests wait for connectivity where the session's tasks do (``URLSessionConfiguration/waitsForConnectivity``): true by
  /// default. A protocol class that reads on behalf of a load sets false, and passes `URLError.notConnectedToInternet` on, so that the
  /// load waits in place of its requests; see ``URLProtocol/Capabilities/connectivity``.
  public var waitsForConnectivity = true

  /// The defaults.
  public init() {}
}

extension RandomAccessOptions {
  /// The block size, within its limits.
  var effectiveBlockSize: Int { min(16 << 20, max(512, blockSize)) }

  /// The blocks that may be in memory.
  var cachedBlocks: Int { max(2, maximumCachedBytes / effectiveBlockSize) }

  /// The first block.
  static func beginning(like options: RandomAccessOptions) -> ByteRange {
    var options = options
    options.firstRange = .beginning(1)
    return options.effectiveFirstRange
  }

  /// What the first request asks for, within the limits.
  var effectiveFirstRange: ByteRange {
    let size = effectiveBlockSize
    let most = cachedBlocks * size
    switch firstRange {
    case .beginning(let count):
      let blocks = (min(most, max(1, count)) - 1) / size + 1
      return .positions(first: 0, last: Int64(blocks * size) - 1)
    case .suffix(let count): return .suffix(length: Int64(min(most, max(1, count))))
    case .positions(let position, let count):
      let first = max(0, position) / Int64(size) * Int64(size)
      let lead = Int(max(0, position) - first)
      let (needed, isHuge) = lead.addingReportingOverflow(max(1, count))
      let blocks = (min(most, isHuge ? most : needed) - 1) / size + 1
      let (last, isBehindAll) = first.addingReportingOverflow(Int64(blocks * size) - 1)
      return .positions(first: first, last: isBehindAll ? .max : last)
    }
  }
}
