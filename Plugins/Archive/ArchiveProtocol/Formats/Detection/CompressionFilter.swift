/// A format that compresses one stream of bytes.
enum CompressionFilter: String, Sendable, Hashable, CaseIterable {
  case gzip, bzip2, xz, lzma, zstd, lz4

  /// Suffixes of file names, the usual one first.
  var suffixes: [String] {
    switch self {
    case .gzip: ["gz", "gzip", "tgz"]
    case .bzip2: ["bz2", "bzip2", "bz", "tbz", "tbz2"]
    case .xz: ["xz", "txz"]
    case .lzma: ["lzma", "tlz"]
    case .zstd: ["zst", "zstd", "tzst"]
    case .lz4: ["lz4"]
    }
  }

  var suffix: String { suffixes.first ?? rawValue }

  /// A file's name without the suffix of this format.
  func strippingSuffix(of name: String) -> String {
    let lowercased = name.lowercased()
    for suffix in suffixes where lowercased.hasSuffix("." + suffix) && name.count > suffix.count + 1 {
      return String(name.dropLast(suffix.count + 1))
    }
    return name
  }
}
