import Foundation
internal import URLLoadingCCrashRecord

/// What the service was loading when it crashed, in a file of its state.
///
/// A crash is a signal of the process's own fault: one that somebody has killed, or that a machine has taken along, has done nothing wrong.
/// A stack that has overflowed leaves no room to note anything, but on the first thread.
final class CrashRecord {
  struct Crash: Equatable {
    let signal: Int
    /// By their numbers.
    let tasks: [Int]
  }

  /// What one crash may say; the file is not read beyond as much of a few.
  private static let mostTasks = Int(CRASH_RECORD_CAPACITY)
  private static let mostBytes = 16 * 8 * (2 + mostTasks)

  private let descriptor: Int32
  private let path: String

  /// The folder is this service's alone.
  init(in directory: String) throws {
    path = "\(directory)/crashes"
    descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw ServiceFailure("\(path) cannot be opened", errno) }
  }

  deinit { close(descriptor) }

  /// The crashes since this was called last, the oldest first.
  func take() -> [Crash] {
    var bytes = [UInt8](repeating: 0, count: Self.mostBytes)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return [] }
    ftruncate(descriptor, 0)
    return Self.crashes(in: bytes[..<count])
  }

  /// What cannot be read is left out, with all after it.
  static func crashes(in bytes: ArraySlice<UInt8>) -> [Crash] {
    var numbers = bytes.withUnsafeBytes { buffer in
      (0..<buffer.count / 8).map { buffer.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self) }[...]
    }
    var crashes: [Crash] = []
    while let signal = numbers.popFirst(), let count = numbers.popFirst(), count >= 0, count <= numbers.count {
      crashes.append(Crash(signal: Int(signal), tasks: numbers.prefix(Int(count)).map { Int($0) }))
      numbers = numbers.dropFirst(Int(count))
    }
    return crashes
  }

  /// Records a crash of this process.
  func begin() throws {
    let error = crash_record_begin(descriptor)
    guard error == 0 else { throw ServiceFailure("Crashes cannot be noted in \(path)", error) }
  }

  /// Says what a crash would be noted with.
  static func record(loading tasks: Set<Int>) {
    let numbers = tasks.sorted().prefix(mostTasks).map { Int64($0) }
    crash_record_set(numbers, Int32(numbers.count))
  }
}
