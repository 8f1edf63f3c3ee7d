import AsyncHTTPClient
import Foundation
import NIOCore

/// Prints the nanoseconds of the monotonic clock when the first byte of a URL is there.
@main
struct FirstByte {
  static func main() throws {
    guard let url = CommandLine.arguments.dropFirst().first else { exit(2) }
    let response = try HTTPClient.shared.get(url: url).wait()
    guard let body = response.body, body.readableBytes > 0 else { exit(1) }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    print(time.tv_sec * 1_000_000_000 + time.tv_nsec)
    exit(0)
  }
}
