import Testing

@testable import URLLoadingCurlTransport

/// What is sent again when a kept connection ends without an answer.
@Suite struct RepetitionTests {
  @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "PROPFIND"])
  func idempotentMethodsMayBeRepeated(method: String) {
    #expect(Repetition(method: method, mayHaveBeenTaken: true).isAllowed)
  }

  @Test(arguments: ["POST", "PATCH", "LOCK", "CONNECT", "post", "get", "Get", "X", ""])
  func othersMayBeRepeatedOnlyIfNothingWasWritten(method: String) {
    #expect(!Repetition(method: method, mayHaveBeenTaken: true).isAllowed)
    #expect(Repetition(method: method, mayHaveBeenTaken: false).isAllowed)
  }
}
