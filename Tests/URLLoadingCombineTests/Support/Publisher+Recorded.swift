import Testing
import URLLoadingCombine

extension Publisher where Output: Sendable {
  /// What a subscriber with unlimited demand is told, to the end.
  func recorded(sourceLocation: SourceLocation = #_sourceLocation) async -> Recorder<Output, Failure>.Log {
    let recorder = Recorder<Output, Failure>()
    subscribe(recorder)
    #expect(await recorder.end(), "has not ended", sourceLocation: sourceLocation)
    return recorder.log.value
  }
}
