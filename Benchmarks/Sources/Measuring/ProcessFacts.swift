import Foundation

/// What the kernel tells of this process.
public enum ProcessFacts {
  /// `RUSAGE_SELF`, whose type differs between versions of glibc's module.
  private static let thisProcess: Int32 = 0

  /// User's and system's time of all threads, in seconds.
  public static var cpuSeconds: Double {
    var usage = rusage()
    getrusage(thisProcess, &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
  }

  /// The most memory that was resident. `ru_maxrss` is none of it: that begins with the parent's.
  public static var peakResidentKilobytes: Int { status("VmHWM:") }

  /// The memory that is resident now.
  public static var residentKilobytes: Int { status("VmRSS:") }

  private static func status(_ name: String) -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
