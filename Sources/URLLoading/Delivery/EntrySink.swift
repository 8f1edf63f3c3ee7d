/// Keeps the entries of a listing for a reader that takes them batch by batch.
typealias EntrySink = StreamBuffer<[URLDirectoryEntry]>

extension EntrySink {
  convenience init() {
    self.init(largestJoin: 64) { $0.reduce(0) { $0 + $1.cost } }
  }
}
