/// A resource of any scheme whose bytes can be read at any position: made by ``URLSession/randomAccess(to:options:delegate:)-(URLRequest,_,_)``.
///
/// All reads get bytes of one version of the resource: when an answer is of another version, or of an unknown one, that read and
/// all later ones fail with `URLError.resourceUnavailable`. Other errors, such as a lost connection, end the reads that
/// they concern; later ones try again.
///
/// A read transfers only the blocks that cover it and are not in memory, plus read-ahead if reads are sequential;
/// adjacent blocks are coalesced into one request, of at most half of the cache. Concurrent readers of a block share
/// one load.
///
/// It works for as long as its session accepts tasks. Loads are cancelled when neither it nor a reader of it is referenced any more.
///
/// Mutable state: none but that of `source`, which guards it.
public final class RandomAccessResource: Sendable {
  enum Kind: Sendable { case file, ranges, whole }

  /// Where the resource was found, after redirects.
  public var url: URL { version.url }

  /// The bytes of the resource.
  public var length: Int64 { version.length }

  /// What tells this version of the resource from others.
  public var validators: ResourceValidators { version.validators }

  /// Its type, such as `application/zip`, if the source has one.
  public let mimeType: String?

  /// Whether only the parts are loaded that are read; else the whole resource is.
  public var hasByteRanges: Bool { kind != .whole }

  /// Whether bytes come by requests, rather than from a file of this machine.
  public var isRemote: Bool { kind != .file }

  private let source: any RandomAccessSource
  private let version: ResourceVersion
  private let kind: Kind
  /// That of ``read(at:count:)``.
  private let stream: Int

  init(source: any RandomAccessSource, version: ResourceVersion, kind: Kind, mimeType: String?) {
    self.source = source
    self.version = version
    self.kind = kind
    self.mimeType = mimeType
    stream = source.addStream()
  }

  deinit {
    source.removeStream(stream)
  }

  /// Reads some bytes. Cancelling the surrounding `Task` ends this read only.
  /// - Parameters:
  ///   - offset: the position of the first byte, from 0. At or after the end there is nothing to read.
  ///   - count: how many bytes.
  /// - Returns: `count` bytes; fewer only at the end of the resource.
  /// - Throws: `URLError`, as said above; `cancelled` after a cancellation and after ``close()``.
  public func read(at offset: Int64, count: Int) async throws -> Data {
    try await source.read(at: offset, count: count, stream: stream)
  }

  /// Makes a reader for one consumer that reads with calls that block.
  public func makeReader() -> RandomAccessReader { RandomAccessReader(source) }

  /// Cancels loads and frees memory. Waiting reads, and all later ones, fail with `URLError.cancelled`.
  public func close() { source.close() }
}
