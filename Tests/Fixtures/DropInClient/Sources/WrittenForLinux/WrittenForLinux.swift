import Foundation
import FoundationNetworking

/// What FoundationNetworking's interface lets other code write, in one program: with it and with this library it compiles, and says the same.
@main struct WrittenForLinux {
  static func main() async throws {
    words()
    values()
    try await sessions()
  }

  private static func words() {
    let service: [URLRequest.NetworkServiceType] = [
      .background, .default, .networkServiceTypeCallSignaling, .video, .voice, .voip,
    ]
    print(service.map(\.word))
    print(
      URLRequest.CachePolicy.returnCacheDataElseLoad.word,
      URLSession.AuthChallengeDisposition.rejectProtectionSpace.word)
    print(
      URLSession.DelayedRequestDisposition.useNewRequest.word, HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain.word)
    print(URLCache.StoragePolicy.notAllowed.word, URLCredential.Persistence.forSession.word)
    print(URLSessionTask.State.canceling.word, URLSessionTaskMetrics.ResourceFetchType.localCache.word)
    print(URLSessionTaskMetrics.DomainResolutionProtocol.https.word, URLSessionWebSocketTask.Message.string("").word)
    print(tls_protocol_version_t.DTLSv12.word)
  }

  private static func values() {
    let response = HTTPURLResponse()
    print(response.statusCode, response.contentRange ?? "nil", response.acceptsByteRanges, response.validators)
    print(OwnResponse().mimeType ?? "nil", OwnResponse().expectedContentLength)
    print(NamedCachedResponse(name: "cached").data.count, NamedSpace(name: "space").host)
    print(NamedChallenge(name: "challenge").protectionSpace.host, SmallCache().memoryCapacity)
    print(CountedRequest(url: blank).made, CountedRequest(url: blank).timeoutInterval)
    print(CountedMutableRequest(url: blank).made, CountedMutableRequest(url: blank).url == blank)
    print(LabelledRequest(url: blank).label, OwnCookie(properties: [:]) == nil, OwnMetrics(name: "metrics").name)
    print(OwnCredential(user: "a", password: "b", persistence: .none).uses, OwnCredentialStorage().allCredentials.count)
  }

  private static func sessions() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    print(
      PlainSession(configuration: .default).n,
      PlainSession(configuration: configuration, delegate: nil, delegateQueue: nil).n)
    print(OwnSession().name, OwnSession(name: "own").name)
    print(OverridingSession(configuration: configuration).way)
    print(OverridingSession(configuration: configuration, delegate: nil, delegateQueue: nil).way)
    let short = ShortSession(configuration: configuration)
    let (data, response) = try await short.data(for: URLRequest(url: blank))
    print(String(decoding: data, as: UTF8.self), response.mimeType ?? "nil")
    print(String(decoding: try await short.data(from: blank).0, as: UTF8.self))
    print(OwnConfiguration().name, PlainTask().n, OwnTask(name: "task").name, OwnTask(name: "").state.word)
    print(OwnUpload().countOfBytesSent, OwnDownload().countOfBytesSent, OwnSocket().countOfBytesSent)
    print(OwnProtocol.canInit(with: URLRequest(url: blank)))
  }
}
