import Foundation

/// The largest resident size of this process so far.
enum PeakMemory {
  /// `peak` and a number of bytes.
  static var line: String {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let field = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    let kilobytes = field.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? -1
    return "peak \(kilobytes * 1024)"
  }
}
