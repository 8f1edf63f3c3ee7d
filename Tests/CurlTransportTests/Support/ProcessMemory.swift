import Foundation

enum ProcessMemory {
  /// Bytes of memory that the process has.
  static var residentBytes: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
  }
}
