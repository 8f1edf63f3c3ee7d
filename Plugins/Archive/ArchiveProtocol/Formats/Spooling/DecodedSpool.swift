internal import URLLoadingBase

/// The decoded bytes of a packed stream, in a temporary file, as far as they were read. Nothing is decoded twice.
///
/// Mutable state: `spooled`, guarded by its own lock; `chain` and `discarding`, touched only inside a step of `progress`, of which
/// there is one at a time, in order.
// Safe to share: see above.
final class DecodedSpool: @unchecked Sendable {
  private struct Spooled {
    var count: Int64 = 0
    var isComplete = false
  }

  private let filters: [CompressionFilter]
  private let limits: ArchiveConfiguration
  private let budget: SpoolBudget
  private let file: SpoolFile
  private let progress = SharedProgress()
  private let spooled = Locked(Spooled())
  private var chain: DecoderChain?
  /// How many known bytes a restarted chain gives first.
  private var discarding: Int64 = 0

  /// - Parameter filters: the outermost first.
  init(_ filters: [CompressionFilter], configuration: ArchiveConfiguration) throws {
    self.filters = filters
    limits = configuration
    budget = SpoolBudget(limit: configuration.maximumSpooledBytes)
    file = try SpoolFile(directory: configuration.temporaryDirectory.path)
  }

  /// The number of decoded bytes, once the stream was decoded to its end.
  var length: Int64? { spooled.withLock { $0.isComplete ? $0.count : nil } }

  /// Reads decoded bytes until `buffer` is full or they end.
  /// - Parameter source: the packed bytes, for this reader.
  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64, source: any ByteSource) throws -> Int {
    let (end, overflow) = position.addingReportingOverflow(Int64(buffer.count))
    guard position >= 0 else { throw ArchiveError.damaged("a position before the beginning") }
    let needed = overflow ? Int64.max : end
    try progress.advance(
      for: source, until: { spooled.withLock { $0.count >= needed } }, step: { try step(reading: source) })
    let available = spooled.withLock { $0.count } - position
    guard available > 0 else { return 0 }
    let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(available, Int64(buffer.count)))])
    return try file.read(into: wanted, at: position)
  }

  private func step(reading source: any ByteSource) throws -> Bool {
    if chain == nil {
      chain = try DecoderChain(filters)
      discarding = spooled.withLock { $0.count }
    }
    guard let chain else { return false }
    do {
      let bytes = try chain.next(reading: source)
      guard !bytes.isEmpty else {
        guard discarding == 0 else { throw ArchiveError.damaged("the compressed data changed while it was read") }
        spooled.withLock { $0.isComplete = true }
        self.chain = nil
        return false
      }
      try append(bytes, packedCount: chain.packedCount)
      return true
    } catch {
      if chain.isBroken { self.chain = nil }
      throw error
    }
  }

  private func append(_ bytes: UnsafeRawBufferPointer, packedCount: Int64) throws {
    let known = Int(min(discarding, Int64(bytes.count)))
    discarding -= Int64(known)
    guard known < bytes.count else { return }
    let fresh = UnsafeRawBufferPointer(rebasing: bytes[known...])
    let position = spooled.withLock { $0.count }
    try limits.checkRatio(decoded: position + Int64(fresh.count), packed: packedCount)
    try budget.take(fresh.count)
    try file.write(fresh, at: position)
    spooled.withLock { $0.count += Int64(fresh.count) }
  }
}
