/// The names of members.
enum MemberPath {
  /// A name with its slashes made canonical: none at the ends, no empty, `.` or `..` segment. A `..` takes the segment
  /// before it away, and nothing at the top, so that no name leads out of the archive.
  static func canonical(_ name: some Sequence<UInt8>) -> [UInt8] {
    var segments: [ArraySlice<UInt8>] = []
    for segment in Array(name).split(separator: 0x2f) {
      switch segment.count {
      case 1 where segment.first == 0x2e: continue
      case 2 where segment.allSatisfy { $0 == 0x2e }: _ = segments.popLast()
      default: segments.append(segment)
      }
    }
    return Array(segments.joined(separator: [0x2f]))
  }
}
