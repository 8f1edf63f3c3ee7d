import Foundation
import Testing

@testable import URLLoading

@Suite struct UserAgentTests {
  @Test func namesTheProgramAsProcessInfoDoes() {
    let name = ProcessInfo.processInfo.processName
    #expect(!name.isEmpty)
    #expect(UserAgent.processName == UserAgent.fieldWord(name.utf8))
    #expect(UserAgent.ofProcess.hasPrefix(UserAgent.processName + " swift-url-loading/"))
  }

  @Test(arguments: [
    ("urlload", "urlload"), ("two words", "two_words"), ("tab\tand\r\nline", "tab_and__line"), ("größer", "gr__er"),
    ("日本", "__"), ("a\u{7F}b\u{0}", "a_b_"), ("", ""),
  ])
  func aFieldHasVisibleASCII(name: String, expected: String) {
    #expect(UserAgent.fieldWord(name.utf8) == expected)
  }
}
