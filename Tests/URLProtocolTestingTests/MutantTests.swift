import Foundation
import Testing
import URLLoading
import URLLoadingTestServers
import URLProtocolTesting

/// Each fault fails the checks that are about it, and the message says what is wrong.
@Suite(.timeLimit(.minutes(5))) struct MutantTests {
  static let faults: [(Fault, check: String, message: String)] = [
    (.takesOnlyEverySecond, "the class takes its own URLs", "canInit"),
    (.wrongLength, "whole loads by data(for:)", "expectedContentLength"),
    (.wrongLength, "whole loads by bytes(for:)", "expectedContentLength"),
    (.wrongURL, "whole loads by a download task with a handler", "the request's URL"),
    (.emptyMIMEType, "whole loads by data(for:)", "MIME type"),
    (.rangeInWhole, "whole loads by data(for:)", "contentRange"),
    (.headHasBody, "HEAD gives the head alone", "no body"),
    (.lastByteMissing, "whole loads by a data task with a delegate", "only the first 0 bytes of 1"),
    (.lastByteMissing, "whole loads by download(for:)", "only the first 0 bytes of 1"),
    (.oneByteTooMany, "whole loads by a data task with a handler", "1 bytes too many"),
    (.swapsPieces, "whole loads by bytes(for:)", "differ from byte 1 on"),
    (.loadsOnlyOnce, "the same resource loads again and again", "It was loaded before"),
    (.mixesInstances, "a hundred loads at once", "one of a hundred"),
    (.secondResponse, "events come in their order, once each", "a second response"),
    (.dataBeforeResponse, "events come in their order, once each", "5 bytes before a response"),
    (.dataAfterFinish, "events come in their order, once each", "4 bytes after a finish"),
    (.dataAfterFinish, "whole loads by data(for:)", "4 bytes after a finish"),
    (.finishesTwice, "events come in their order, once each", "a finish after a finish"),
    (.failsAfterFinish, "events come in their order, once each", "a failure after a finish"),
    (.neverFinishes, "whole loads by data(for:)", "nothing came any more while it was loaded by data(for:)"),
    (.neverFinishes, "whole loads by a download task with a delegate", "an end within"),
    (.sendsAfterStop, "cancel on the first data", "bytes came after it"),
    (.sendsAfterStop, "cancel on the response", "bytes came after it"),
    (.stays, "cancel in the middle", "still retained its client"),
    (.stays, "events come in their order, once each", "still retained its client"),
    (.hangsInStart, "whole loads by data(for:)", "an end within"),
    (.hangsInStart, "cancel right after resume", "an end within"),
    (.hangsInStop, "cancel on the first data", "an end within"),
    (.ignoresPause, "a delegate that stands still holds the sender back", "while the consumer takes none"),
    (.ignoresPause, "a reader of bytes(for:) that stands still holds the sender back", "while the consumer takes none"),
    (.ignoresPause, "suspend and resume on the way", "soon after suspend()"),
    (.onePiece, "a delegate that stands still holds the sender back", "the largest piece of 8388611"),
    (.losesPieceWhenPaused, "suspend and resume on the way", "bytes"),
    (.losesPieceWhenPaused, "a delegate that stands still holds the sender back", "exactly the 8388611 bytes"),
    (.ignoresRange, "ranges at every border", "must look at request.byteRange"),
    (.rangeOffByOne, "ranges at every border", "differ from byte 0 on"),
    (.wrongContentRange, "ranges at every border", "it was bytes 1-1"),
    (.lengthOfWhole, "ranges at every border", "that of the part"),
    (.lengthOfWhole, "a range of many pieces", "that of the part"),
    (.wholeForOutside, "ranges outside of the resource", "or status 416"),
    (.failsForMalformed, "fields that name no single range get the whole", "A bad range"),
    (.ignoresIfRange, "If-Range decides between part and whole", "of the whole"),
    (.hidesRanges, "responses say that ranges can be had", "acceptsByteRanges"),
    (.hidesRanges, "a download resumes from its resume data", "there were none"),
    (.newValidatorsEachTime, "validators stay the same while the resource does", "the same validators"),
    (.newValidatorsEachTime, "a download resumes from its resume data", "to resume where it stopped"),
    (.sameValidatorsForever, "validators change with the resource", "other validators"),
    (.partWithoutValidators, "validators stay the same while the resource does", "with a part"),
    (.ignoresRange, "a download resumes from its resume data", "to resume where it stopped"),
    (.missingIsEmpty, "a missing resource fails by code", "no error"),
    (.missingHasOtherCode, "a missing resource fails by code", "(-1100)"),
    (.missingHasOtherCode, "a range of a missing resource fails by code", "(-1100)"),
    (.missingHasNoURL, "a missing resource fails by code", "failingURL"),
    (.missingQuotesQuery, "a missing resource fails by code", "without the URL's query"),
    (.uploadLosesByte, "uploads by upload(for:from:)", "to be stored"),
    (.uploadAppends, "an upload takes the place of what was there", "1000 bytes"),
    (.uploadIsSilent, "uploads by an upload task from data, with a delegate", "countOfBytesSent"),
    (.uploadIsSilent, "cancel an upload on its way", "-999"),
    (.storesByGet, "a body by GET stores nothing", "to be stored"),
    (.uploadFailsForStreams, "uploads by a streamed upload task", "ended with the error"),
  ]

  @Test(arguments: faults) func faultIsFound(_ fault: Fault, check name: String, message: String) async throws {
    let fixture = MutantFixture(fault: fault)
    let check = try #require(URLProtocolConformance.checks(for: fixture).first { $0.name == name })
    let hangs = [.neverFinishes, .stays, .hangsInStart, .hangsInStop].contains(fault)
    let failure = try await #require(throws: ConformanceFailure.self) {
      try await check.run(fixture, timeLimit: hangs ? .seconds(5) : .seconds(Sanitizing.isOn ? 240 : 30))
    }
    #expect(failure.check == name)
    #expect(failure.description.contains(message), "\(failure)")
    #expect(failure.advice.hasSuffix("."))
  }

  @Test func everyFaultIsInTheTable() {
    let missing = Set(Fault.allCases).subtracting(Self.faults.map(\.0)).subtracting([.none])
    #expect(missing.isEmpty)
  }
}
