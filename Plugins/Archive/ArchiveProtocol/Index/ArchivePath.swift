/// Names of members as archives have them, made the paths that members are found by.
enum ArchivePath {
  /// The canonical path of a name, resolved from the archive's top directory, which nothing leads out of. Slashes at the start and
  /// the end, empty segments and `.` are removed; `..` removes the segment before it, if there is one.
  ///
  /// So `/etc/passwd` is `etc/passwd` in the archive, `../../x` is `x`, and `a/../b` is `b`.
  static func canonical(_ name: UnsafeRawBufferPointer) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    var end = name.count
    if end > 0, name[end - 1] == slash { end -= 1 }
    if isCanonical(name[..<end]) { return Array(name[..<end]) }
    var segments: [Slice<UnsafeRawBufferPointer>] = []
    for segment in name.split(separator: slash) {
      if segment.elementsEqual(".".utf8) { continue }
      if segment.elementsEqual("..".utf8) { _ = segments.popLast() } else { segments.append(segment) }
    }
    return Array(segments.joined(separator: CollectionOfOne(slash)))
  }

  /// The canonical path of a name.
  static func canonical(_ name: [UInt8]) -> [UInt8] { name.withUnsafeBytes(canonical) }

  private static func isCanonical(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
    // Of the current segment.
    var length = 0
    var isDots = true
    for byte in name {
      if byte == UInt8(ascii: "/") {
        if isDots && length <= 2 { return false }
        length = 0
        isDots = true
      } else {
        length += 1
        if byte != UInt8(ascii: ".") { isDots = false }
      }
    }
    return name.isEmpty || !(isDots && length <= 2)
  }
}
