import Foundation
import URLLoading
internal import URLLoadingBase

/// Lines on standard error, where systemd takes them up; the file `log` beside the queue where a program has started the service.
enum ServiceLog {
  static func write(_ line: String) {
    if let state = BackgroundServicePlace.current.stateDirectory {
      BackgroundServiceLog.shorten(in: state, of: STDERR_FILENO)
    }
    let bytes = Array("urlloadd: \(line)\n".utf8)
    // A disk that is full keeps no line, and the service goes on.
    _ = bytes.withUnsafeBytes { DescriptorIO.write($0, to: STDERR_FILENO) }
  }
}
