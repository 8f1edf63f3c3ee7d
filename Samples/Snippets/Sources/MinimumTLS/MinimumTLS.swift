import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@main
struct MinimumTLS {
    static func main() async {
        let addresses = [CommandLine.arguments[1], ProcessInfo.processInfo.environment["OLD_URL"]!]
        for version in [tls_protocol_version_t.TLSv12, .TLSv13] {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.tlsMinimumSupportedProtocolVersion = version
            let session = URLSession(configuration: configuration, delegate: Delegate(), delegateQueue: nil)
            for address in addresses {
                do {
                    _ = try await session.data(from: URL(string: address)!)
                    print("loaded")
                } catch let error as URLError where error.code == .secureConnectionFailed {
                    print("refused")
                } catch {
                    print(error)
                }
            }
            session.finishTasksAndInvalidate()
        }
    }
}

final class Delegate: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard let trust = challenge.protectionSpace.serverTrust else { return (.performDefaultHandling, nil) }
        return (.useCredential, URLCredential(trust: trust))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        if let version = metrics.transactionMetrics.last?.negotiatedTLSProtocolVersion {
            print(version == .TLSv13 ? "TLS 1.3" : "TLS 1.2", terminator: " ")
        }
    }
}
