import Foundation
import Testing
import URLLoadingTestServers

/// `Samples/DropIn`: three packages of which none names ours, one of them a third party's.
@Suite(.serialized, .disabled(if: Sanitizing.isOn)) struct DropInSampleTests {
  @Test func aToolsetBindsEveryPackage() async throws {
    let folder = try await DropInFolder.shared
    let sample = try ClientPackage(copying: "Samples/DropIn")
    try await sample.check(build: folder.toolset)
    #expect(try await report(of: sample) == ourReport)
    let libraries = try await sample.libraries(of: "DropIn")
    #expect(libraries.contains("\(folder.path)/dynamic/libURLLoading.so"))
    #expect(!libraries.contains("libFoundationNetworking"))
    #expect(!libraries.contains("libArchiveProtocol"))

    // An edit of the library, of the program, and of both packages' users at once.
    try sample.edit("Fetching/Sources/Fetching/Fetcher.swift", " bytes\"", " octets\"")
    try sample.edit("Sources/DropIn/DropIn.swift", "a new task", "its task")
    try await sample.check(build: folder.toolset)
    let edited = ourReport.replacingOccurrences(of: "a new task", with: "its task").split(separator: "\n").map { line in
      line.contains("by the library") ? line.replacingOccurrences(of: "bytes", with: "octets") : String(line)
    }
    #expect(try await report(of: sample).split(separator: "\n").map(String.init) == edited)

    // The same folder of build products, without the toolset.
    try await sample.check(build: [])
    let lines = try await report(of: sample).split(separator: "\n").map(String.init)
    #expect(lines[0] == "session: FoundationNetworking.URLSession in 20FoundationNetworking10URLSessionC")
    #expect(lines.filter { $0.hasPrefix("http") } == edited.filter { $0.hasPrefix("http") })
    #expect(try await sample.libraries(of: "DropIn").contains("libFoundationNetworking"))
  }

  @Test func theLibraryIsLinkedIntoTheProgram() async throws {
    let folder = try await DropInFolder.shared
    let sample = try ClientPackage(copying: "Samples/DropIn")
    try await sample.check(build: folder.staticToolset)
    #expect(try await report(of: sample) == ourReport)
    let libraries = try await sample.libraries(of: "DropIn")
    #expect(libraries.contains("libcurl"))
    #expect(!libraries.contains("libURLLoading") && !libraries.contains("libFoundation"))
    #expect(!libraries.contains("libswift"))
  }

  private func report(of sample: ClientPackage) async throws -> String {
    let server = try await NginxServer.shared
    let file = server.documentRoot.appendingPathComponent("small.txt")
    return try await sample.run("DropIn", [server.url().absoluteString, "data:,Hi", file.absoluteString])
  }

  private let ourReport = """
    session: URLLoading.URLSession in 10URLLoading10URLSessionC
    request: URLLoading.URLRequest
    the library's session is the same: true
    http, a new task: suspended
    http, by the library: status 200, 1024 bytes
    http, by HTTPTypesFoundation: status 200, 1024 bytes
    data, a new task: suspended
    data, by the library: no status, 2 bytes
    file, a new task: suspended
    file, by the library: no status, 1024 bytes

    """
}
