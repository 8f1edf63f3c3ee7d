import Foundation
import Glibc
import Testing
import URLLoadingCZlib
import URLLoadingTestServers

@testable import ArchiveProtocol

/// Archives with errors put into them at random, and always the same ones: whatever is read of one is either whole or an error.
///
/// `URL_LOADING_MUTANTS` says how many; the seed of one that fails is in the message.
struct ZipMutationTests {
  private static let limits = {
    var limits = ArchiveConfiguration()
    limits.maximumMemberSize = 4 << 20
    limits.maximumMembers = 10_000
    return limits
  }()

  private static let recipes = [
    "zip -qr $1 .", "zip -qr0 $1 .", "zip -qr - . | cat >$1", "zip -qr -fz $1 .", "zip -qr -P secret $1 .",
    "7z a -tzip $1 . >/dev/null", "7z a -tzip -mm=LZMA $1 . >/dev/null", "7z a -tzip -mm=PPMd $1 . >/dev/null",
    "7z a -tzip -mm=BZip2 $1 . >/dev/null", "7z a -tzip -mm=XZ $1 . >/dev/null",
    "7z a -tzip -psecret -mem=AES256 $1 . >/dev/null", "$PYTHON -c \"$WRITER\" $1 ZIP_DEFLATED",
    "LC_ALL=C.UTF-8 bsdtar -cf $1 --format zip *",
  ]

  @Test func mutantsAreReadWholeOrNotAtAll() async throws {
    let tree = try TemporaryDirectory("tree")
    try tree.write("a.txt", String(repeating: "some text ", count: 40))
    try tree.write("d/ü", "b")
    try tree.write("empty", "")
    try FileManager.default.createSymbolicLink(atPath: tree.file("link").path, withDestinationPath: "a.txt")
    let place = try TemporaryDirectory("zip")
    var samples: [[UInt8]] = []
    for (index, recipe) in Self.recipes.enumerated() {
      let file = place.file("\(index).zip")
      let script = try ZipToolTests.preamble + recipe
      try await Command.check("sh", ["-ec", script, "sh", file.path], directory: tree.url)
      samples.append(Array(try Data(contentsOf: file)))
    }
    let count = ProcessInfo.processInfo.environment["URL_LOADING_MUTANTS"].flatMap(Int.init) ?? 2_000
    var whole = 0
    for seed in 0..<count {
      var mutator = Mutator(seed: UInt64(seed))
      let mutant = mutator.mutate(samples[seed % samples.count])
      let start = Self.processorTime()
      whole += try Self.read(mutant, seed: seed)
      #expect(Self.processorTime() - start < 1, "mutant \(seed) takes too long")
    }
    // Some mutations hit nothing that counts, and most do.
    #expect(whole > count / 10)
  }

  /// Reads all that can be read of a mutant, and holds it against its own directory.
  /// - Returns: how many members were whole.
  private static func read(_ bytes: [UInt8], seed: Int) throws -> Int {
    let source = MemoryByteSource(bytes)
    let reader = ZipReader(source: source, limits: limits)
    var whole = 0
    do {
      for entry in try reader.readEntries().prefix(20) {
        do {
          let content = try reader.bytes(of: entry, source: source, password: "secret")
          #expect(Int64(content.count) == entry.size, "mutant \(seed)")
          if let checksum = entry.checksum { #expect(ZipSample.checksum(content) == checksum, "mutant \(seed)") }
          #expect(ArchivePath.canonical(entry.path) == entry.path, "mutant \(seed)")
          whole += 1
        } catch is ArchiveError {}
      }
    } catch is ArchiveError {}
    // Nothing is asked for that is not there, again and again.
    let read = source.reads.reduce(0) { $0 + $1.count }
    #expect(read <= 64 * bytes.count && source.reads.count < 300, "mutant \(seed)")
    return whole
  }

  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
