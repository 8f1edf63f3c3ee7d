import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Which of an upload's requests get its credentials.
@Suite(.timeLimit(.minutes(4))) struct UploadSecretsTests {
  private let body = UploadClient.body(500_000)
  /// Credentials by name, one by value, and a field that is not one.
  private let fields = [
    "Authorization": "Bearer secret", "Cookie": "a=secret", "X-Api-Key": "secret", "X-Back": "http://me:secret@host/",
    "X-Plain": "seen",
  ]

  /// The resume data of an upload that is stopped when the server has some of it.
  /// - Parameter isElsewhere: the delegate is asked whether the upload goes to another origin.
  private func stopped(
    _ client: UploadClient, _ request: URLRequest, isElsewhere: Bool = false
  ) async throws -> Data {
    let goesOn = AsyncEvent()
    client.server.change {
      $0.cuts = [200_000]
      $0.beforeCut = { _ = goesOn.waitBlocking() }
    }
    defer { goesOn.signal() }
    let task = client.session.uploadTask(with: request, from: body)
    task.resume()
    #expect(await client.server.waitForBytes(200_000))
    #expect(await client.delegate.isAnnounced.wait())
    if isElsewhere { #expect(await client.delegate.hasAnswered.wait()) }
    return try #require(await task.cancelByProducingResumeData())
  }

  private func expectNoSecrets(_ request: HTTPRequest) {
    let head = String(decoding: request.raw, as: UTF8.self)
    #expect(!head.contains("secret") && head.contains("X-Plain: seen"), "\(head)")
  }

  /// A server that has all of every upload.
  private func completing() throws -> ScriptedServer {
    try ScriptedServer.http { _ in HTTPResponse(204, fields: ["Upload-Offset": "500000", "Upload-Complete": "?1"]) }
  }

  // MARK: The origin

  @Test func anUploadThatWasRedirectedGoesOnWithoutSecrets() async throws {
    let client = try UploadClient(sessionFields: ["X-Session-Token": "secret"])
    let target = client.server.url().absoluteString
    let first = try ScriptedServer.http { _ in .redirect(307, to: target) }
    var request = client.request("POST", fields)
    request.url = first.url()
    let data = try await stopped(client, request)
    _ = try await client.session.upload(resumeFrom: data)
    #expect(client.server.upload?.bytes == body && client.server.methods == ["POST", "HEAD", "PATCH"])
    for request in client.server.requests.dropFirst() { expectNoSecrets(request) }
    #expect(first.requests.map { $0.fields["Authorization"] } == ["Bearer secret"])
  }

  @Test func anUploadThatWasRedirectedMayBeStoppedTwice() async throws {
    let client = try UploadClient()
    let target = client.server.url().absoluteString
    let first = try ScriptedServer.http { _ in .redirect(307, to: target) }
    var request = client.request("POST", fields)
    request.url = first.url()
    let data = try await stopped(client, request)
    let (isHeld, goesOn) = (AsyncEvent(), AsyncEvent())
    client.server.change {
      $0.beforeAnswer = { method, count in
        guard method == "HEAD", count == 1 else { return }
        isHeld.signal()
        _ = goesOn.waitBlocking()
      }
    }
    defer { goesOn.signal() }
    let second = client.session.uploadTask(withResumeData: data)
    second.resume()
    #expect(await isHeld.wait())
    let again = try #require(await second.cancelByProducingResumeData())
    _ = try await client.session.upload(resumeFrom: again)
    #expect(client.server.upload?.bytes == body)
    for request in client.server.requests.dropFirst() { expectNoSecrets(request) }
  }

  @Test(arguments: [["resource"], ["url"], ["url", "resource"]])
  func editedResumeDataLeadsSecretsNowhere(keys: [String]) async throws {
    let other = try completing()
    let client = try UploadClient(sessionFields: ["X-Session-Token": "secret"])
    let data = try await stopped(client, client.request("POST", fields))
    var list = try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    var own = try #require(list["URLLoadingUploadResume"] as? [String: Any])
    for key in keys { own[key] = other.url("/uploads/1").absoluteString }
    list["URLLoadingUploadResume"] = own
    let edited = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    _ = try await client.session.upload(resumeFrom: edited)
    let asked = keys.contains("resource") ? other.requests : Array(client.server.requests.dropFirst())
    #expect(!asked.isEmpty)
    for request in asked { expectNoSecrets(request) }
  }

  // MARK: The session's fields

  @Test func theSessionsFieldsAreOfEveryRequest() async throws {
    let client = try UploadClient(sessionFields: ["Authorization": "Bearer session", "X-Tenant": "session"])
    let data = try await stopped(client, client.request("POST", ["X-Tenant": "own"]))
    _ = try await client.session.upload(resumeFrom: data)
    #expect(client.server.methods == ["POST", "HEAD", "PATCH"] && client.server.upload?.bytes == body)
    for request in client.server.requests {
      #expect(request.fields["Authorization"] == "Bearer session" && request.fields["X-Tenant"] == "own")
    }
  }

  @Test(arguments: [false, true]) func anotherOriginsResourceGetsNoneOfTheSessionsSecrets(isLater: Bool) async throws {
    let other = try completing()
    let client = try UploadClient(sessionFields: ["Authorization": "Bearer secret", "X-Plain": "seen"])
    client.server.change {
      $0.announcement = [("Location", other.url("/u").absoluteString), ("Upload-Draft-Interop-Version", "8")]
    }
    if isLater {
      let data = try await stopped(client, client.request(), isElsewhere: true)
      _ = try await client.session.upload(resumeFrom: data)
    } else {
      client.server.change { $0.cuts = [200_000] }
      _ = try await client.session.upload(for: client.request(), from: body)
    }
    #expect(other.requests.map(\.method) == ["HEAD"])
    for request in other.requests { expectNoSecrets(request) }
  }
}
