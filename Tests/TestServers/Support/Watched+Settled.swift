extension Watched where Value == Int {
  /// Waits until the value has not changed for a while, and returns it: for what is expected to stop.
  package func settled(after quiet: Duration = .seconds(1)) async -> Int {
    while true {
      let last = value
      // What is waited for is that nothing happens.
      guard await wait(timeout: quiet, until: { $0 != last }) else { return last }
    }
  }
}
