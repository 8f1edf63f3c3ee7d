/// The part of a file that an FTP transfer is for: `first-last` or `first-`, in bytes.
struct FTPRange: Equatable {
  var first: Int64
  /// Nil for the end of the file.
  var last: Int64?

  init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let first = Int64(parts[0]), first >= 0 else { return nil }
    self.first = first
    guard !parts[1].isEmpty else { return }
    guard let last = Int64(parts[1]), last >= first, last < .max else { return nil }
    self.last = last
  }

  /// How many bytes it has of a file of this size; nil where that is not known.
  func length(in size: Int64?) -> Int64? {
    switch (size, last) {
    case (let size?, let last?): max(0, min(size, last + 1) - first)
    case (let size?, nil): max(0, size - first)
    case (nil, let last?): last + 1 - first
    case (nil, nil): nil
    }
  }
}
