import Testing

@testable import URLLoadingCurlTransport

@Suite struct RequestBatchTests {
  private var batch = RequestBatch()

  @Test mutating func aSingleRequestIsSentAtOnce() {
    batch.added()
    #expect(batch.begins() == .nothing)
    #expect(batch.requestBegins() == .nothing)
    #expect(batch.ends() == .nothing)
  }

  @Test mutating func twoAreSentTogether() {
    batch.added()
    batch.added()
    #expect(batch.begins() == .cork)
    #expect(batch.requestBegins() == .nothing)
    #expect(batch.requestBegins() == .nothing)
    #expect(batch.ends() == .uncork)
  }

  @Test mutating func manyAreSentInParts() {
    let parts = 3
    for _ in 0..<parts * RequestBatch.size { batch.added() }
    #expect(batch.begins() == .cork)
    var actions: [RequestBatch.Action] = []
    for _ in 0..<parts * RequestBatch.size { actions.append(batch.requestBegins()) }
    // Before the first of the second part, and of the third.
    let flushes = actions.indices.filter { actions[$0] == .flush }
    #expect(flushes == [RequestBatch.size, 2 * RequestBatch.size])
    #expect(actions.allSatisfy { $0 == .flush || $0 == .nothing })
    #expect(batch.ends() == .uncork)
  }

  @Test mutating func oneTurnHasNothingOfAnother() {
    for _ in 0..<2 {
      batch.added()
      #expect(batch.begins() == .nothing)
      #expect(batch.ends() == .nothing)
    }
    // Requests that go out of turn: with credentials, after an answer.
    for _ in 0..<100 { #expect(batch.requestBegins() == .nothing) }
    #expect(batch.begins() == .nothing)
  }
}
