import AsyncHTTPClient
import Foundation
import NIOCore

/// Prints the nanoseconds of the monotonic clock when the first byte of a URL is there.
@main
struct FirstByte {
  static func main() async throws {
    guard let url = CommandLine.arguments.dropFirst().first else { exit(2) }
    let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
    for try await piece in response.body where piece.readableBytes > 0 {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      print(time.tv_sec * 1_000_000_000 + time.tv_nsec)
      exit(0)
    }
    exit(1)
  }
}
