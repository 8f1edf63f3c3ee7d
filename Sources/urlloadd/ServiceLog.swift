import Foundation

/// Lines on standard error, where systemd takes them up.
enum ServiceLog {
  static func write(_ line: String) {
    FileHandle.standardError.write(Data("urlloadd: \(line)\n".utf8))
  }
}
