import URLLoading

/// Prints the nanoseconds of the monotonic clock when the first byte of a URL is there.
@main
struct FirstByte {
  static func main() async throws {
    guard let url = CommandLine.arguments.dropFirst().first.flatMap({ URL(string: $0) }) else { exit(2) }
    guard try await !URLSession.shared.data(from: url).0.isEmpty else { exit(1) }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    print(time.tv_sec * 1_000_000_000 + time.tv_nsec)
  }
}
