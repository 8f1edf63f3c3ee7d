internal import URLLoadingCurlTransport

/// Looks for a file's size in a listing of its folder, of which it reads no more than it has to. A value that does no I/O.
struct FTPSizeLookup {
  /// What is read of a listing at most, in bytes: some 10,000 entries. Of a larger one the file itself may be a part.
  static let largestListing = 1 << 20

  private let name: [UInt8]
  private var listing: FTPListing
  private var count = 0
  /// Nothing more is to be read.
  private(set) var isOver = false
  /// The size, more than 0, of the file.
  private(set) var length: Int64?

  /// - Returns: nil where the URL names no file.
  init?(_ format: FTPListing.Format, of url: URL, now: Date) {
    guard let name = FTPPath(url: url.absoluteString).file else { return nil }
    self.name = name
    // The entries' URLs are of no interest.
    listing = FTPListing(format, of: url, now: now)
  }

  mutating func receive(_ bytes: UnsafeRawBufferPointer) {
    guard !isOver else { return }
    count += bytes.count
    look(in: listing.receive(bytes))
    if count >= Self.largestListing { isOver = true }
  }

  /// The bytes are over, as the server has confirmed.
  mutating func finish() {
    if !isOver { look(in: listing.finish()) }
    isOver = true
  }

  private mutating func look(in piece: FTPListing.Piece) {
    if piece.failureReason != nil { isOver = true }
    guard let entry = piece.entries.first(where: { $0.nameBytes == name }) else { return }
    isOver = true
    if entry.kind == .file, let size = entry.size, size > 0 { length = size }
  }
}
