import Testing

@testable import URLLoadingCurlTransport

struct InlineBodyCountTests {
  /// The second of three attempts fails before anything is sent.
  @Test func bodiesAreCountedThatWereSent() {
    var count = InlineBodyCount()
    count.requestBegins(requestSize: 0, length: 1000)
    #expect(count.bytes(requestSize: 0) == 0)
    #expect(count.bytes(requestSize: 1060) == 1000)
    count.requestBegins(requestSize: 1060, length: 1000)
    #expect(count.bytes(requestSize: 1060) == 1000)
    count.requestBegins(requestSize: 1060, length: 1000)
    #expect(count.bytes(requestSize: 2120) == 2000)
  }
}
