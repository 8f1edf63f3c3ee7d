import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

class OldStyleDelegate: NSObject, URLSessionDelegate {
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let trust = challenge.protectionSpace.serverTrust else {
            challenge.sender?.cancel(challenge)
            return
        }
        var result: SecTrustResultType = .invalid
        guard SecTrustGetTrustResult(trust, &result) == errSecSuccess else {
            return completionHandler(.cancelAuthenticationChallenge, nil)
        }
        switch result {
        case .proceed, .unspecified:
            print("trusted", SecTrustGetCertificateCount(trust))
            completionHandler(.useCredential, URLCredential(trust: trust))
        case .recoverableTrustFailure:
            print("recoverable")
            let exceptions = SecTrustCopyExceptions(trust)
            SecTrustSetExceptions(trust, exceptions)
            SecTrustEvaluate(trust, &result)
            print(result == .unspecified || result == .proceed)
            completionHandler(.useCredential, URLCredential(trust: trust))
        default:
            print("fatal", result.rawValue)
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    }
}

let session = URLSession(configuration: .ephemeral, delegate: OldStyleDelegate(), delegateQueue: nil)
let addresses =
    [CommandLine.arguments[1]] + ProcessInfo.processInfo.environment["BAD_URLS"]!.components(separatedBy: " ")
for address in addresses {
    let semaphore = DispatchSemaphore(value: 0)
    session.dataTask(with: URL(string: address)!) { _, response, _ in
        print((response as? HTTPURLResponse)?.statusCode ?? -1)
        semaphore.signal()
    }.resume()
    semaphore.wait()
}
