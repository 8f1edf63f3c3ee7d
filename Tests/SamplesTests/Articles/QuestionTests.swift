import Foundation
import Testing
import URLLoadingTestServers

/// What people ask is found by one search for its words, in the page that answers it.
@Suite struct QuestionTests {
  private static let manual = "Sources/URLLoading/URLLoading.docc/"

  @Test(arguments: [
    ("own certificate authority", manual + "TLS.md"), ("client certificate", manual + "TLS.md"),
    ("proxy variables", manual + "Proxies.md"), ("download progress", manual + "Downloads.md"),
    ("multipart upload", manual + "Uploads.md"), ("timeouts", manual + "Timeouts.md"),
    ("why @unchecked Sendable", manual + "Concurrency.md"), ("version", manual + "Deploying.md"),
    ("custom scheme", "README.md"), ("mock in tests", manual + "MockInTests.md"), ("resume", manual + "Downloads.md"),
    ("cookies", manual + "UsingCookies.md"), ("static linking", manual + "Deploying.md"),
    ("memory limits", manual + "Timeouts.md"), ("cancellation", manual + "Downloads.md"),
  ])
  func isFoundByItsWords(_ words: String, page: String) throws {
    let text = try String(contentsOf: PackageFolder.root.appending(path: page), encoding: .utf8)
    #expect(text.replacing("`", with: "").lowercased().contains(words.lowercased()))
  }
}
