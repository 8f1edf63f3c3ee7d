import Foundation
import Glibc
import Testing
import URLLoadingTestServers

@testable import ArchiveProtocol

/// Archives that were changed at random: they may be refused, and nothing else may happen.
///
/// `ARCHIVE_MUTANTS` is the number of mutants, `ARCHIVE_MUTATION_SEED` where the generator begins. A mutant that ends the
/// process is kept in the file that `ARCHIVE_MUTANT_FILE` names.
@Suite(.serialized) struct MutationTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = environment["ARCHIVE_MUTANTS"].flatMap { Int($0) } ?? 2_000
  private static let seed = environment["ARCHIVE_MUTATION_SEED"].flatMap { UInt64($0) } ?? 1

  @Test(.timeLimit(.minutes(240))) func mutants() async throws {
    let samples = try await MutationSamples.make()
    // A thread of its own, so that its time can be taken, however busy the machine is.
    let slow: [String] = await withCheckedContinuation { continuation in
      let thread = Thread {
        continuation.resume(returning: Self.run(samples))
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
    #expect(slow == [])
  }

  private static func run(_ samples: [MutationSamples.Sample]) -> [String] {
    var mutator = FormatMutator(seed: seed)
    var options = ArchiveConfiguration.all
    options.maximumSpooledBytes = 64 << 20
    options.maximumMembers = 50_000
    var complaints: [String] = []
    let memoryBefore = residentBytes()
    for index in 0..<count {
      let sample = samples[index % samples.count]
      let bytes = mutator.mutate(
        sample.bytes, with: samples[Int(mutator.generator.next() % UInt64(samples.count))].bytes)
      if let path = environment["ARCHIVE_MUTANT_FILE"] { try? Data(bytes).write(to: URL(fileURLWithPath: path)) }
      let start = threadSeconds()
      try? exercise(bytes, options)
      let seconds = threadSeconds() - start
      if seconds > (Sanitizing.isOn ? 10 : 1) { complaints.append("mutant \(index) of \(sample.name): \(seconds) s") }
    }
    let grown = residentBytes() - memoryBefore
    if grown > 256 << 20, !Sanitizing.isOn { complaints.append("\(grown) bytes of memory are kept") }
    return complaints
  }

  /// Reads the directory and the first members.
  private static func exercise(_ bytes: [UInt8], _ options: ArchiveConfiguration) throws {
    let archive = try OpenedArchive(MemoryByteSource(bytes), name: "x", options: options)
    for entry in archive.entries.prefix(12) {
      guard let body = try? archive.reader.open(entry, from: 0, source: archive.source, password: nil) else { continue }
      _ = try? OpenedArchive.drain(body, limit: 4 << 20)
      let later = try? archive.reader.open(entry, from: 1000, source: archive.source, password: nil)
      _ = try later.map { try OpenedArchive.drain($0, limit: 1 << 20) }
    }
  }

  private static func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
