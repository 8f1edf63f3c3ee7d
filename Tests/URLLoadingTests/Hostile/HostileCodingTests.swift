import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Content codings that do not decode.
@Suite(.timeLimit(.minutes(4))) struct HostileCodingTests {
  /// `printf hello | gzip -n`, made once: a coding's own tests are elsewhere.
  private static let gzip = Data([
    0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0, 0x86, 0xA6, 0x10, 0x36, 0x05, 0,
    0, 0,
  ])

  /// The same by brotli.
  private static let brotli = Data([0x0B, 0x02, 0x80, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x03])

  static let codings: [Hostility] = [
    coded("whole gzip", "gzip", gzip, .success(200, "hello")),
    coded("garbage for gzip", "gzip", Data("this is no gzip at all".utf8), .failure(.cannotDecodeRawData)),
    coded("garbage for deflate", "deflate", Data([0xFF, 0xFF, 0xFF, 0xFF]), .failure(.cannotDecodeRawData)),
    coded("garbage for br", "br", Data(repeating: 0xFF, count: 64), .failure(.cannotDecodeRawData)),
    coded("garbage for zstd", "zstd", Data("this is no zstd".utf8), .failure(.cannotDecodeRawData)),
    coded(
      "gzip with garbage inside", "gzip", gzip.prefix(10) + Data(repeating: 0xFF, count: 20),
      .failure(.cannotDecodeRawData)),
    coded(
      "gzip with a wrong checksum", "gzip", gzip.prefix(17) + Data(repeating: 0, count: 8),
      .failure(.cannotDecodeRawData)),
    // The length is as announced: only the coding tells.
    coded("a gzip that is cut off", "gzip", gzip.prefix(14), .failure(.cannotDecodeRawData)),
    coded("a gzip without its checksum", "gzip", gzip.dropLast(8), .failure(.cannotDecodeRawData)),
    coded("a br that is cut off", "br", brotli.dropLast(2), .failure(.cannotDecodeRawData)),
    coded("whole br", "br", brotli, .success(200, "hello")),
    coded("gzip and more", "gzip", gzip + Data("more".utf8), .failure(.cannotDecodeRawData)),
    coded("two members of gzip", "gzip", gzip + gzip, .success(200, "hellohello")),
    coded("an empty gzip", "gzip", Data(), .success(200, "")),
    coded("an unknown coding", "x-unknown", Data("abc".utf8), .success(200, "abc")),
    coded("a known coding and an unknown one", "gzip, aws-chunked", Data("abc".utf8), .success(200, "abc")),
  ]

  private static func coded(_ name: String, _ coding: String, _ body: Data, _ outcome: Hostility.Outcome) -> Hostility {
    Hostility(
      name, outcome,
      sends: HTTPResponse(fields: ["Content-Encoding": coding, "Connection": "close"], body: body).encoded())
  }

  @Test(arguments: codings, LoadKind.allCases)
  func aBodyThatDoesNotDecodeIsAnError(_ hostility: Hostility, _ kind: LoadKind) async throws {
    try await hostility.check(as: kind)
  }
}
