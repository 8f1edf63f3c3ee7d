import Testing

@testable import URLLoadingCurlTransport

/// The oldest libcurl that loads.
@Suite struct OldLibraryTests {
  @Test func anOlderOneIsRefusedByItsVersion() throws {
    #expect(CurlLibrary.refusal(of: 0x07_58_00, "7.88.0") == nil)
    #expect(CurlLibrary.refusal(of: 0x08_17_00, "8.23.0") == nil)
    let refusal = try #require(CurlLibrary.refusal(of: 0x07_51_00, "7.81.0"))
    #expect(refusal.message.contains("7.88") && refusal.message.contains("7.81.0"), "\(refusal.message)")
  }

  @Test func theInstalledOneIsNewEnough() {
    #expect(CurlLibrary.shared.refusal == nil)
  }
}
