#if PEER
import Foundation
import FoundationNetworking
#else
import URLLoading
#endif

/// Prints the nanoseconds of the monotonic clock when the first byte of a URL is there. Built twice: with this library, and with the
/// toolchain's FoundationNetworking (`PEER`).
@main
struct FirstByte {
  static func main() {
    guard let url = CommandLine.arguments.dropFirst().first.flatMap({ URL(string: $0) }) else { exit(2) }
    let task = URLSession.shared.dataTask(with: url) { data, _, _ in
      guard let data, !data.isEmpty else { exit(1) }
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      print(time.tv_sec * 1_000_000_000 + time.tv_nsec)
      exit(0)
    }
    task.resume()
    // The handler ends the process.
    DispatchSemaphore(value: 0).wait()
  }
}
