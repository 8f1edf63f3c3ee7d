import Foundation

/// What the kernel tells of this process, or of another one.
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

  /// The same of another process, in steps of its clock (`proc(5)`: a hundredth of a second).
  public static func cpuSeconds(of process: pid_t) -> Double {
    let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    // Behind the name, which may have spaces.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// The most memory that was resident. `ru_maxrss` is none of it: that begins with the parent's.
  public static var peakResidentKilobytes: Int { status("VmHWM:", of: "self") }

  /// The same of another process.
  public static func peakResidentKilobytes(of process: pid_t) -> Int { status("VmHWM:", of: String(process)) }

  /// The memory that is resident now.
  public static var residentKilobytes: Int { status("VmRSS:", of: "self") }

  private static func status(_ name: String, of process: String) -> Int {
    let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
