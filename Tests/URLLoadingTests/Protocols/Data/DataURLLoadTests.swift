import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// `data:` URLs through every kind of task.
@Suite(.timeLimit(.minutes(4))) struct DataURLLoadTests {
  private let session = URLSession(configuration: .ephemeral)

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  @Test func everyKindOfTaskLoadsADataURL() async throws {
    let url = try url("data:text/plain;charset=utf-8;base64,R3LDvMOfZQ==")
    let (data, response) = try await session.data(from: url)
    #expect(String(decoding: data, as: UTF8.self) == "Grüße")
    #expect(response.mimeType == "text/plain" && response.textEncodingName == "utf-8")
    #expect(response.expectedContentLength == 7)
    let (file, _) = try await session.download(from: url)
    defer { unlink(file.path) }
    #expect(try difference(Data(contentsOf: file), from: data) == nil)
    let handled = Watched<(Data?, URLResponse?)?>(nil)
    session.downloadTask(with: url) { file, response, _ in
      let data = file.flatMap { try? Data(contentsOf: $0) }
      handled.update { $0 = (data, response) }
    }.resume()
    #expect(await handled.wait { $0 != nil })
    #expect(handled.value?.0 == data)
    #expect(handled.value?.1 != nil)
    #expect(try await session.data(from: self.url("DATA:,a%20b")).0 == Data("a b".utf8))
    #expect(try await session.data(from: self.url("data:,")).0.isEmpty)
  }

  @Test(arguments: [
    ("bytes=0-0", "0"), ("bytes=9-", "9"), ("bytes=-3", "789"), ("bytes=2-4", "234"), ("bytes=x", "0123456789"),
  ])
  func ranges(field: String, body: String) async throws {
    for source in ["data:,0123456789", "data:;base64,MDEyMzQ1Njc4OQ=="] {
      var request = URLRequest(url: try url(source))
      request.setValue(field, forHTTPHeaderField: "Range")
      let (data, response) = try await session.data(for: request)
      #expect(String(decoding: data, as: UTF8.self) == body)
      #expect(response.contentRange?.completeLength == (body.count == 10 ? nil : 10))
    }
  }

  @Test func rangeBeyondTheEndFails() async throws {
    var request = URLRequest(url: try url("data:,0123456789"))
    request.setValue("bytes=10-", forHTTPHeaderField: "Range")
    let error = try await #require(throws: URLError.self) { try await session.data(for: request) }
    #expect(error.code == .badServerResponse)
  }

  @Test(arguments: ["data:;base64,!!!!", "data:;base64,A", "data:;base64,AA=A", "data:text/plain"])
  func whatCannotBeDecodedFails(source: String) async throws {
    let error = try await #require(throws: URLError.self) { try await session.data(from: url(source)) }
    #expect(error.code == .badURL)
    #expect(error.localizedDescription.contains("data:"))
    #expect(error.failingURL?.absoluteString == source)
  }

  @Test func timeGrowsWithTheLength() async throws {
    let body = TestFiles.pattern(count: 20_000_000)
    let url = try url("data:application/octet-stream;base64,\(body.base64EncodedString())")
    let clock = ContinuousClock()
    let start = clock.now
    let (data, _) = try await session.data(from: url)
    let time = clock.now - start
    #expect(difference(data, from: body) == nil)
    // Without optimisation each vector operation is a call: 9 s. What grows with the square of the length takes hours.
    #expect(time < .seconds(60), "\(time)")
  }

  @Test func resumeDataOfADataURLIsNil() async throws {
    let task = session.downloadTask(with: try url("data:,0123456789"))
    #expect(await task.cancelByProducingResumeData() == nil)
  }
}
