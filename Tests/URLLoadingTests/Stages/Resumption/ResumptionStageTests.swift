import Foundation
import Testing

@testable import URLLoading

/// What a resumed download asks for, and what a later one can continue.
@Suite struct ResumptionStageTests {
  private static let url = URL(fileURLWithPath: "/file")

  private static func data(received: Int64 = 10, total: Int64 = 100, entityTag: String? = "\"v\"") -> ResumeData {
    ResumeData(
      url: url, originalURL: url, bytesReceived: received, expectedTotalLength: total, entityTag: entityTag,
      localPath: "/part")
  }

  private static func asked(_ stage: ResumptionStage, length: Int64) -> (offset: Int64?, request: URLRequest) {
    var request = URLRequest(url: url)
    let offset = stage.ask(&request) { _ in length }
    return (offset, request)
  }

  @Test func theRestIsAskedFor() {
    let (offset, request) = Self.asked(ResumptionStage(Self.data()), length: 10)
    #expect(offset == 10)
    #expect(request.value(forHTTPHeaderField: "Range") == "bytes=10-")
    #expect(request.value(forHTTPHeaderField: "If-Range") == "\"v\"")
  }

  @Test func aWholeFileAsksForItsLastByte() {
    #expect(Self.asked(ResumptionStage(Self.data()), length: 100).offset == 99)
  }

  @Test func theWholeIsLoadedWhereNothingIsLeft() {
    #expect(Self.asked(ResumptionStage(nil), length: 10).offset == nil)
    #expect(Self.asked(ResumptionStage(Self.data()), length: 0).offset == nil)
    #expect(Self.asked(ResumptionStage(Self.data(entityTag: nil)), length: 10).offset == nil)
    var stage = ResumptionStage(Self.data())
    stage.startOver()
    let (offset, request) = Self.asked(stage, length: 10)
    #expect(offset == nil)
    #expect(request.value(forHTTPHeaderField: "Range") == nil)
  }

  @Test func whatWasAskedForIsWithdrawn() {
    var request = Self.asked(ResumptionStage(Self.data()), length: 10).request
    ResumptionStage.withdraw(from: &request)
    #expect(request.value(forHTTPHeaderField: "Range") == nil)
    #expect(request.value(forHTTPHeaderField: "If-Range") == nil)
  }

  @Test func whatIsMissingIsNamed() {
    #expect(ResumeSecrets.missing(fields: [], user: false) == nil)
    #expect(ResumeSecrets.missing(fields: ["Cookie"], user: false) == "the header field Cookie")
    #expect(
      ResumeSecrets.missing(fields: ["A", "B"], user: true)
        == "the header fields A, B and user and password in the URL")
  }
}
