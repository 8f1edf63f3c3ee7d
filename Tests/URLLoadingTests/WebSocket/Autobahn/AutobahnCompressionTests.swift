import Foundation
import Testing

@testable import URLLoading

/// Section 12 of the suite: compression without parameters, on five kinds of data.
@Suite(.timeLimit(.minutes(4))) struct AutobahnCompressionTests {
  static let cases = [AutobahnTestData.json, .bitmap, .prose, .html, .document].enumerated().flatMap {
    AutobahnExchange.section("12.\($0 + 1)", AutobahnAgreement(), $1)
  }

  @Test(arguments: cases) func compression(_ one: AutobahnExchange) throws { try one.expectToPass() }

  /// The data is what its kind is like: text is text wherever it is cut, and the kinds compress differently.
  @Test(arguments: AutobahnTestData.allCases) func testData(_ data: AutobahnTestData) throws {
    #expect(data.bytes.count == AutobahnTestData.size)
    let isASCII = data.bytes.allSatisfy { $0 < 0x80 }
    #expect(isASCII == data.isText)
    let payload = try #require(AutobahnDeflater(windowBits: 15, keepsContext: true)?.compress(data.bytes))
    let isCompressible = payload.count < data.bytes.count / 2
    #expect(isCompressible == (data != .document), "\(payload.count)")
  }
}
