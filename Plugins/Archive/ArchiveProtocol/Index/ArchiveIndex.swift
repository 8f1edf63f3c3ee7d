/// The members of one archive, found by name. Of members with the same name the last one counts, as for unpackers.
struct ArchiveIndex: Sendable {
  /// What a name leads to.
  enum Resolution: Equatable {
    case member(ArchiveEntry)
    /// A directory; its path without links.
    case directory([UInt8])
    case missing
    /// A link points out of the archive; the link's name and its target.
    case leavesArchive(link: [UInt8], target: [UInt8])
    case tooManyLinks
  }

  /// As many links as the Linux kernel follows for one path (path_resolution(7)).
  static let maximumLinks = 40

  /// Sorted by name, byte by byte; each name once.
  let entries: [ArchiveEntry]

  init(_ entries: [ArchiveEntry]) {
    let isSorted = zip(entries, entries.dropFirst()).allSatisfy { $0.path.lexicographicallyPrecedes($1.path) }
    guard !isSorted else {
      self.entries = entries
      return
    }
    // Stable: of equal names the last one is kept.
    let order = entries.indices.sorted { first, second in
      if entries[first].path.lexicographicallyPrecedes(entries[second].path) { return true }
      return entries[first].path == entries[second].path && first < second
    }
    var unique: [ArchiveEntry] = []
    unique.reserveCapacity(entries.count)
    for index in order {
      if let last = unique.last, last.path == entries[index].path { unique.removeLast() }
      unique.append(entries[index])
    }
    self.entries = unique
  }

  /// The member of this name; links are not followed.
  subscript(path: [UInt8]) -> ArchiveEntry? {
    let index = firstIndex(notBefore: path)
    return index < entries.count && entries[index].path == path ? entries[index] : nil
  }

  /// Follows a name, and the links on its way. Links never lead out of the archive.
  func resolve(_ path: [UInt8]) -> Resolution { resolve(path) { _ in [] } }

  /// The same, for archives whose links are read when they are followed.
  /// - Parameter readTarget: reads the target of a symbolic link, where it is empty in the index.
  func resolve(_ path: [UInt8], readTarget: (ArchiveEntry) throws -> [UInt8]) rethrows -> Resolution {
    var remaining = Array(path.split(separator: UInt8(ascii: "/")).reversed())
    var place: [UInt8] = []
    var links = 0
    while let segment = remaining.popLast() {
      if segment.elementsEqual([UInt8(ascii: ".")]) { continue }
      if segment.elementsEqual([UInt8(ascii: "."), UInt8(ascii: ".")]) {
        guard !place.isEmpty else { return .missing }
        place = Self.parent(of: place)
        continue
      }
      let candidate = place.isEmpty ? Array(segment) : place + [UInt8(ascii: "/")] + segment
      guard let entry = self[candidate] else {
        guard hasMembers(below: candidate) else { return .missing }
        place = candidate
        continue
      }
      switch entry.kind {
      case .directory: place = candidate
      case .file, .other:
        if remaining.isEmpty { return .member(entry) }
        // Some archives have a file and members below its name.
        guard hasMembers(below: candidate) else { return .missing }
        place = candidate
      case .hardLink where remaining.isEmpty && entry.location != .none: return .member(entry)
      case .hardLink(let target):
        links += 1
        guard links <= Self.maximumLinks else { return .tooManyLinks }
        guard target != candidate else { return .missing }
        place = []
        remaining.append(contentsOf: target.split(separator: UInt8(ascii: "/")).reversed())
      case .symbolicLink(let known):
        links += 1
        guard links <= Self.maximumLinks else { return .tooManyLinks }
        let target = known.isEmpty ? try readTarget(entry) : known
        guard target.first != UInt8(ascii: "/"), Self.staysInside(target, from: place) else {
          return .leavesArchive(link: candidate, target: target)
        }
        remaining.append(contentsOf: target.split(separator: UInt8(ascii: "/")).reversed())
      }
    }
    return .directory(place)
  }

  /// The members and directories right below a directory, in the order of their names, with directories that are only part of
  /// other names.
  func children(of directory: [UInt8]) -> [ArchiveEntry] {
    let prefix = directory.isEmpty ? [] : directory + [UInt8(ascii: "/")]
    var children: [ArchiveEntry] = []
    var index = firstIndex(notBefore: prefix)
    while index < entries.count, entries[index].path.starts(with: prefix) {
      let entry = entries[index]
      if let slash = entry.path[prefix.count...].firstIndex(of: UInt8(ascii: "/")) {
        let path = Array(entry.path[..<slash])
        if self[path] == nil { children.append(ArchiveEntry(path: path, kind: .directory, location: .none)) }
        // Skips all that is below the directory: its names sort before the byte after "/".
        index = firstIndex(notBefore: path + [UInt8(ascii: "/") + 1])
      } else {
        if !entry.path.isEmpty { children.append(entry) }
        index += 1
      }
    }
    return children
  }

  // MARK: Names

  private func hasMembers(below directory: [UInt8]) -> Bool {
    let prefix = directory + [UInt8(ascii: "/")]
    let index = firstIndex(notBefore: prefix)
    return index < entries.count && entries[index].path.starts(with: prefix)
  }

  private func firstIndex(notBefore path: [UInt8]) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].path.lexicographicallyPrecedes(path) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func parent(of path: [UInt8]) -> [UInt8] {
    path.lastIndex(of: UInt8(ascii: "/")).map { Array(path[..<$0]) } ?? []
  }

  /// Whether a relative target never climbs above the top, counted from the directory that the link is in.
  private static func staysInside(_ target: [UInt8], from directory: [UInt8]) -> Bool {
    var depth = directory.split(separator: UInt8(ascii: "/")).count
    for segment in target.split(separator: UInt8(ascii: "/")) {
      if segment.elementsEqual([UInt8(ascii: "."), UInt8(ascii: ".")]) {
        depth -= 1
        if depth < 0 { return false }
      } else if !segment.elementsEqual([UInt8(ascii: ".")]) {
        depth += 1
      }
    }
    return true
  }
}
