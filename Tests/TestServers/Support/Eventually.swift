/// Asks again and again until the condition holds, for facts without an event, such as a line in a server's log.
///
/// - Returns: false if the condition did not hold within the timeout.
package func eventually(
  timeout: Duration = .seconds(60), interval: Duration = .milliseconds(10),
  _ condition: () async throws -> Bool
) async throws -> Bool {
  let clock = ContinuousClock()
  let deadline = clock.now + timeout
  while try await !condition() {
    guard clock.now < deadline else { return false }
    try await Task.sleep(for: interval)
  }
  return true
}
