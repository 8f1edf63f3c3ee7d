internal import URLLoadingBase

/// What the program is called in requests.
enum UserAgent {
  /// The `User-Agent` of requests without one.
  static let ofProcess = "\(processName) swift-url-loading/\(PackageVersion.current)"

  /// The name of the program's file, which may have any characters; a field's value may not.
  ///
  /// Not by `ProcessInfo`, whose first use takes as long as everything else before the first request.
  static var processName: String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { path in
      let count = path.baseAddress.map { readlink("/proc/self/exe", $0, path.count) } ?? -1
      guard count > 0 else { return "swift" }
      let name = path[..<count].split(separator: UInt8(ascii: "/")).last ?? []
      return fieldWord(name)
    }
  }

  /// What is no visible ASCII becomes an underscore, one for each character.
  static func fieldWord(_ name: some Sequence<UInt8>) -> String {
    String(decoding: name.lazy.filter { $0 & 0xC0 != 0x80 }.map { $0 > 32 && $0 < 127 ? $0 : 0x5F }, as: UTF8.self)
  }
}
