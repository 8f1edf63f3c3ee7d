import Foundation
import Testing
import URLLoadingCLinux
import URLLoadingCZlib
import URLLoadingSQLite
import URLLoadingTestServers

@testable import URLLoading

/// Bodies in files: their sums, and files without any.
@Suite(.timeLimit(.minutes(4))) struct DiskBodyTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  // MARK: Sums

  private static func sums(_ body: Data, piece: Int) -> BlockSums? {
    var summer = BlockSummer()
    for start in stride(from: 0, to: body.count, by: piece) {
      body[start..<min(start + piece, body.count)].withUnsafeBytes { summer.update($0) }
    }
    return summer.sums
  }

  @Test(arguments: [0, 1, BlockSums.blockLength - 1, BlockSums.blockLength, BlockSums.blockLength + 1, 600_000])
  func sumsDoNotDependOnThePieces(length: Int) throws {
    let body = TestFiles.pattern(count: length)
    let sums = try #require(Self.sums(body, piece: BlockSums.blockLength))
    #expect(sums.bytes.count == (length + BlockSums.blockLength - 1) / BlockSums.blockLength * 8)
    for piece in [1000, 65_536, 300_000, 1_000_000] { #expect(Self.sums(body, piece: piece)?.bytes == sums.bytes) }
    #expect(BlockSums(sums.bytes + Data(count: 8), length: Int64(length)) == nil)
    #expect(BlockSums(sums.bytes, length: Int64(length + BlockSums.blockLength)) == nil)
  }

  @Test func noByteOfADamagedBlockIsGivenAway() throws {
    let body = TestFiles.pattern(count: 3 * BlockSums.blockLength + 5)
    let sums = try #require(Self.sums(body, piece: 100_000))
    let damaged = BlockSums.blockLength..<2 * BlockSums.blockLength
    var stored = body
    stored.resetBytes(in: damaged.lowerBound + 9000..<damaged.lowerBound + 9100)
    let file = directory.file("body")
    try stored.write(to: file)
    let reports = Watched(0)
    let opened = try DiskCacheReader(path: file.path, length: Int64(body.count), sums: sums) {
      reports.update { $0 += 1 }
    }
    let reader = try #require(opened)
    var failures = 0
    for start in stride(from: 0, to: body.count, by: 30_011) {
      var buffer = Data(count: 40_000)
      let count = buffer.withUnsafeMutableBytes { try? reader.read(into: $0, at: Int64(start)) }
      let range = start..<min(start + 40_000, body.count)
      guard let count else {
        #expect(range.overlaps(damaged), "\(range)")
        failures += 1
        continue
      }
      #expect(count == range.count && buffer.prefix(count) == body[range], "\(range)")
      #expect(!range.overlaps(damaged), "\(range)")
    }
    #expect(failures > 5 && reports.value == failures)
    #expect(throws: DiskCacheReader.Failure.self) { try reader.check(0..<Int64(body.count)) }
    #expect(throws: Never.self) { try reader.check(Int64(damaged.upperBound)..<Int64(body.count)) }
    #expect(throws: Never.self) { try reader.check(0..<0) }
  }

  // MARK: The page cache

  /// A reader of a body of two blocks in a file, and how often it reported damage.
  private func reader(of body: Data, in file: URL) throws -> (reader: DiskCacheReader, reports: Watched<Int>) {
    let sums = try #require(Self.sums(body, piece: 100_000))
    let reports = Watched(0)
    let opened = try DiskCacheReader(path: file.path, length: Int64(body.count), sums: sums) {
      reports.update { $0 += 1 }
    }
    return (try #require(opened), reports)
  }

  /// Whether the file system knows reads that wait for no disk: an overlay's does not.
  private func readsAtOnce(_ file: URL) -> Bool {
    let descriptor = open(file.path, O_RDONLY)
    defer { close(descriptor) }
    var byte: UInt8 = 0
    let flags = immediate_read_flags(descriptor)
    return flags >= 0 && (immediate_read(descriptor, &byte, 1, 0, flags) >= 0 || errno == EAGAIN)
  }

  @Test func whatThePageCacheHasIsReadAtOnce() throws {
    let body = TestFiles.pattern(count: 300_000)
    let file = directory.file("body")
    try body.write(to: file)
    let (reader, _) = try reader(of: body, in: file)
    guard readsAtOnce(file) else { return #expect(try reader.wholeAtOnce() == nil) }
    for _ in 0..<2 { #expect(try reader.wholeAtOnce() == body) }
    let descriptor = open(file.path, O_RDONLY)
    defer { close(descriptor) }
    // The kernel may take this advice, or not.
    try #require(fsync(descriptor) == 0 && posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0)
    let rest = try reader.wholeAtOnce()
    #expect(rest == nil || rest == body)
    #expect(try reader.whole() == body)
  }

  @Test(arguments: [0, 299_999]) func whatIsDamagedInThePageCacheIsNotGivenAway(position: Int) throws {
    let body = TestFiles.pattern(count: 300_000)
    var stored = body
    stored[position] ^= 1
    let file = directory.file("body")
    try stored.write(to: file)
    let (reader, reports) = try reader(of: body, in: file)
    guard readsAtOnce(file) else { return }
    #expect(throws: DiskCacheReader.Failure.self) { try reader.wholeAtOnce() }
    #expect(reports.value == 1)
  }

  @Test func lookupsBesideChangesFindWholeBodies() async throws {
    let store = DiskCacheStore(directory: directory.path, capacity: 100_000_000)
    try Self.put(100_000, in: store)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<100 { #expect(await Self.body(100_000, in: store)?.count == 100_000) }
        }
      }
      group.addTask {
        for length in 20_000..<20_050 {
          try Self.put(length, in: store)
          #expect(await Self.body(length, in: store)?.count == length)
          store.removeAll(for: "\(length)")
          #expect(await Self.body(length, in: store) == nil)
        }
      }
      try await group.waitForAll()
    }
    #expect(await Self.body(100_000, in: store) == TestFiles.pattern(count: 100_000))
  }

  // MARK: Files that cannot be opened

  @Test func onlyAFileThatIsNotThereIsLost() {
    for reason in [ENOENT, ENOTDIR, ELOOP] { #expect(DiskCacheReader.isLost(reason), "\(reason)") }
    for reason in [EMFILE, ENFILE, ENOMEM, EIO, EACCES, EINTR] {
      #expect(!DiskCacheReader.isLost(reason), "\(reason)")
    }
  }

  /// Of a body that is read at once, and of one that is read in pieces.
  @Test(arguments: [100_000, 2_000_000])
  func whatCannotBeOpenedIsMissedAndFoundAgain(length: Int) async throws {
    let store = DiskCacheStore(directory: directory.path, capacity: 100_000_000)
    try Self.put(length, in: store)
    #expect(await Self.body(length, in: store)?.count == length)
    let folder = directory.file("bodies")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "swept" }
    try #require(names.count == 1)
    let file = folder.appending(path: names[0])
    let aside = directory.file("aside")
    try FileManager.default.moveItem(at: file, to: aside)
    // To open a socket by its name fails with ENXIO, also for root.
    try #require(mknod(file.path, S_IFSOCK | 0o600, 0) == 0)
    #expect(await Self.body(length, in: store) == nil)
    try #require(unlink(file.path) == 0)
    try FileManager.default.moveItem(at: aside, to: file)
    #expect(await Self.body(length, in: store) == TestFiles.pattern(count: length))
  }

  // MARK: Lost sums

  private static func put(_ length: Int, in store: DiskCacheStore) throws {
    let url: URL = "http://a/"
    var entry = URLCacheEntry(
      key: "\(length)", response: HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", fields: []),
      requestDate: Date(), responseDate: Date())
    entry.bodyLength = Int64(length)
    let writer = try #require(store.writer(for: entry, expectedLength: entry.bodyLength))
    TestFiles.pattern(count: length).withUnsafeBytes { writer.write($0) }
    writer.finish(entry, replacing: [])
  }

  private static func body(_ length: Int, in store: DiskCacheStore) async -> Data? {
    let entries = await withCheckedContinuation { done in
      store.entries(for: "\(length)") { done.resume(returning: $0) }
    }
    guard let entry = entries.first else { return nil }
    // Through a lock: the thread sanitizer does not see that a continuation orders two threads if it is resumed before the task waits.
    let found = Watched<URLCacheBody??>(.none)
    store.body(of: entry) { body in found.update { $0 = .some(body) } }
    guard await found.wait(until: { $0 != nil }), case .some(let body?) = found.value else { return nil }
    return body.wholeData
  }

  /// Deletes the sums of files from the index.
  private func forgetSums() throws {
    let database = try SQLiteDatabase(path: directory.file("index.sqlite").path)
    try database.execute("DELETE FROM body WHERE number IN (SELECT number FROM entry WHERE is_file = 1)")
    var heads: [(number: Int64, head: Data)] = []
    let select = try database.statement("SELECT number, head FROM entry WHERE is_file = 1")
    while try select.step() { heads.append((select.integer(0), select.data(1))) }
    #expect(!heads.isEmpty)
    for (number, head) in heads {
      let sum = head.withUnsafeBytes { crc32_z(0, $0.bindMemory(to: UInt8.self).baseAddress, $0.count) }
      try database.execute("UPDATE entry SET checksum = \(sum) WHERE number = \(number)")
    }
  }

  @Test func filesWithoutSumsCostTheirEntriesAlone() async throws {
    let lengths = [100, 100_000, 2_000_000]
    let first = DiskCacheStore(directory: directory.path, capacity: 100_000_000)
    for length in lengths { try Self.put(length, in: first) }
    for length in lengths { #expect(await Self.body(length, in: first)?.count == length) }
    try forgetSums()
    let second = DiskCacheStore(directory: directory.path, capacity: 100_000_000)
    #expect(await Self.body(100, in: second)?.count == 100)
    #expect(await Self.body(100_000, in: second) == nil)
    #expect(await Self.body(2_000_000, in: second) == nil)
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.file("bodies").path)
    #expect(files == ["swept"])
    for length in lengths.dropFirst() {
      try Self.put(length, in: second)
      #expect(await Self.body(length, in: second) == TestFiles.pattern(count: length))
    }
  }
}
