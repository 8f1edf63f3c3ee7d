import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Loads that trust one server, on a session that everybody shares.
final class TrustingTaskDelegate: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        print("challenge", task.currentRequest?.url?.host() == challenge.protectionSpace.host)
        guard let trust = challenge.protectionSpace.serverTrust else { return (.performDefaultHandling, nil) }
        return (.useCredential, URLCredential(trust: trust))
    }
}

@main
struct TaskTrust {
    static func main() async throws {
        let url = URL(string: CommandLine.arguments[1])!
        let (data, _) = try await URLSession.shared.data(from: url, delegate: TrustingTaskDelegate())
        print(String(decoding: data, as: UTF8.self).hasPrefix("connection"))

        let request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        let (bytes, response) = try await URLSession.shared.bytes(for: request, delegate: TrustingTaskDelegate())
        var count = 0
        for try await _ in bytes { count += 1 }
        print((response as! HTTPURLResponse).expectedContentLength == Int64(count))

        do {
            _ = try await URLSession.shared.data(for: request)
        } catch let error as URLError where error.code == .serverCertificateUntrusted {
            print("without delegate: not trusted")
        }
    }
}
