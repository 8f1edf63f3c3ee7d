/// The streams of a 7z archive: packed ones, the folders that they are decoded to, and the files in each.
struct SevenZipStreams {
  /// The output of one chain of decoders. Files in one folder can be decoded only one after another.
  struct Folder {
    /// The identifiers of its methods, and their properties; of the only folder, which may be that of a header.
    var coders: [(method: [UInt8], properties: [UInt8])] = []
    var outputCount = 0
    /// Of the only folder.
    var unpackedSizes: [Int] = []
    var hasDigest = false
  }

  var packPosition = 0
  var packSizes: [Int] = []
  var folders: [Folder] = []
  /// How many files with bytes each folder has.
  var fileCounts: [Int] = []

  private let limits: ArchiveConfiguration

  /// - Parameter cursor: is after the identifier of the streams' description.
  init(_ cursor: inout SevenZipCursor, limits: ArchiveConfiguration) throws {
    self.limits = limits
    while true {
      switch try cursor.byte() {
      case 0x00:
        if fileCounts.isEmpty { fileCounts = Array(repeating: 1, count: folders.count) }
        return
      case 0x06: try readPacked(&cursor)
      case 0x07: try readFolders(&cursor)
      case 0x08: try readFiles(&cursor)
      default: throw SevenZipCursor.Malformed()
      }
    }
  }

  private mutating func readPacked(_ cursor: inout SevenZipCursor) throws {
    packPosition = try cursor.number()
    // BCJ2 has four streams.
    let count = try cursor.count(within: limits, share: 4)
    while true {
      switch try cursor.byte() {
      case 0x00: return
      case 0x09:
        guard count <= cursor.remaining else { throw SevenZipCursor.Malformed() }
        packSizes = try (0..<count).map { _ in try cursor.number() }
      case 0x0a: _ = try cursor.digests(count)
      default: throw SevenZipCursor.Malformed()
      }
    }
  }

  private mutating func readFolders(_ cursor: inout SevenZipCursor) throws {
    guard try cursor.byte() == 0x0b else { throw SevenZipCursor.Malformed() }
    let count = try cursor.count(within: limits)
    guard count <= cursor.remaining / 2 else { throw SevenZipCursor.Malformed() }
    // No tool writes descriptions in another stream.
    guard try cursor.byte() == 0 else { throw SevenZipCursor.Malformed() }
    folders = try (0..<count).map { _ in try Self.readFolder(&cursor, isOnly: count == 1) }
    guard try cursor.byte() == 0x0c else { throw SevenZipCursor.Malformed() }
    for index in folders.indices {
      for _ in 0..<folders[index].outputCount {
        let size = try cursor.number()
        if count == 1 { folders[index].unpackedSizes.append(size) }
      }
    }
    while true {
      switch try cursor.byte() {
      case 0x00: return
      case 0x0a:
        for (index, isDefined) in try cursor.digests(count).enumerated() { folders[index].hasDigest = isDefined }
      default: throw SevenZipCursor.Malformed()
      }
    }
  }

  private static func readFolder(_ cursor: inout SevenZipCursor, isOnly: Bool) throws -> Folder {
    var folder = Folder()
    var inputs = 0
    let count = try cursor.number()
    guard (1...32).contains(count) else { throw SevenZipCursor.Malformed() }
    for _ in 0..<count {
      let flags = try cursor.byte()
      let method = Array(try cursor.take(Int(flags & 0x0f)))
      var streams = (1, 1)
      if flags & 0x10 != 0 { streams = (try cursor.number(), try cursor.number()) }
      guard (0...32).contains(streams.0), (0...32).contains(streams.1) else { throw SevenZipCursor.Malformed() }
      inputs += streams.0
      folder.outputCount += streams.1
      let properties = flags & 0x20 != 0 ? Array(try cursor.take(try cursor.number())) : []
      if isOnly { folder.coders.append((method, properties)) }
    }
    guard folder.outputCount >= 1, inputs >= folder.outputCount - 1 else { throw SevenZipCursor.Malformed() }
    for _ in 0..<(2 * (folder.outputCount - 1)) { _ = try cursor.number() }
    let packedCount = inputs - (folder.outputCount - 1)
    if packedCount > 1 {
      for _ in 0..<packedCount { _ = try cursor.number() }
    }
    return folder
  }

  private mutating func readFiles(_ cursor: inout SevenZipCursor) throws {
    fileCounts = Array(repeating: 1, count: folders.count)
    while true {
      switch try cursor.byte() {
      case 0x00: return
      case 0x0d:
        var total = 0
        for index in folders.indices {
          fileCounts[index] = try cursor.count(within: limits)
          total += fileCounts[index]
          try limits.check(members: UInt64(total))
          guard total <= SevenZipLayout.maximumCount else { throw SevenZipCursor.Malformed() }
        }
      case 0x09:
        for count in fileCounts where count > 1 {
          for _ in 1..<count { _ = try cursor.number() }
        }
      case 0x0a:
        // A folder's digest is that of its only file.
        var count = 0
        for (index, files) in fileCounts.enumerated() where files != 1 || !folders[index].hasDigest { count += files }
        _ = try cursor.digests(count)
      default: throw SevenZipCursor.Malformed()
      }
    }
  }
}
