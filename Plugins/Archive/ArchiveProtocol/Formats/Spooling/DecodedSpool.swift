internal import URLLoadingBase

/// Decoded bytes in a temporary file, as far as they were read. Several readers share it: nothing is decoded twice, unless the
/// source of the one that decoded has cost the decoder.
///
/// Mutable state: `spooled`, guarded by its own lock; `decoder` and `discarding`, touched only inside a step of `progress`, of which
/// there is one at a time, in order.
// Safe to share: see above.
final class DecodedSpool: @unchecked Sendable {
  private struct Spooled {
    var count: Int64 = 0
    var isComplete = false
  }

  private let makeDecoder: (any ByteSource) throws -> any ByteStream
  private let limits: ArchiveConfiguration?
  private let budget: SpoolBudget
  private let file: SpoolFile
  private let progress = SharedProgress()
  private let spooled = Locked(Spooled())
  private var decoder: (source: StandInSource, stream: any ByteStream)?
  /// How many known bytes a decoder that begins again gives first.
  private var discarding: Int64 = 0

  /// - Parameters:
  ///   - isRatioKnown: the ratio of decoded to packed bytes is known to be allowed.
  ///   - makeDecoder: makes a decoder of the packed bytes from their first.
  init(
    configuration: ArchiveConfiguration, isRatioKnown: Bool = false,
    makeDecoder: @escaping (any ByteSource) throws -> any ByteStream
  ) throws {
    self.makeDecoder = makeDecoder
    limits = isRatioKnown ? nil : configuration
    budget = SpoolBudget(limit: configuration.maximumSpooledBytes)
    file = try SpoolFile(directory: configuration.temporaryDirectory.path)
  }

  /// The number of decoded bytes, once the stream was decoded to its end.
  var length: Int64? { spooled.withLock { $0.isComplete ? $0.count : nil } }

  /// Nothing more can be decoded.
  var isBroken: Bool { progress.hasFailed }

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
    let (standIn, stream) = try decoder ?? begin(reading: source)
    do {
      let bytes = try standIn.with(source) { try stream.next() }
      guard !bytes.isEmpty else {
        guard discarding == 0 else { throw ArchiveError.damaged("the compressed data changed while it was read") }
        spooled.withLock { $0.isComplete = true }
        self.decoder = nil
        return false
      }
      try append(bytes, packedCount: standIn.readCount)
      return true
    } catch {
      if stream.isBroken { self.decoder = nil }
      throw error
    }
  }

  private func begin(reading source: any ByteSource) throws -> (source: StandInSource, stream: any ByteStream) {
    let standIn = StandInSource(source)
    let stream = try standIn.with(source) { try makeDecoder(standIn) }
    discarding = spooled.withLock { $0.count }
    decoder = (standIn, stream)
    return (standIn, stream)
  }

  private func append(_ bytes: UnsafeRawBufferPointer, packedCount: Int64) throws {
    let known = Int(min(discarding, Int64(bytes.count)))
    discarding -= Int64(known)
    guard known < bytes.count else { return }
    let fresh = UnsafeRawBufferPointer(rebasing: bytes[known...])
    let position = spooled.withLock { $0.count }
    try limits?.checkRatio(decoded: position + Int64(fresh.count), packed: packedCount)
    try budget.take(fresh.count)
    try file.write(fresh, at: position)
    spooled.withLock { $0.count += Int64(fresh.count) }
  }
}
