import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// A device whose certificate nobody renews. Everything else has to be right.
class ExpiredDelegate: NSObject, URLSessionDelegate {
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let trust = challenge.protectionSpace.serverTrust else {
            return completionHandler(.performDefaultHandling, nil)
        }
        var error: CFError?
        if SecTrustEvaluateWithError(trust, &error) {
            return completionHandler(.performDefaultHandling, nil)
        }
        let nsError = error! as Error as NSError
        if nsError.domain == NSOSStatusErrorDomain, nsError.code == Int(errSecCertificateExpired) {
            completionHandler(.useCredential, URLCredential(trust: trust))
        } else {
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    }
}

let session = URLSession(configuration: .ephemeral, delegate: ExpiredDelegate(), delegateQueue: nil)
let addresses =
    [CommandLine.arguments[1]] + ProcessInfo.processInfo.environment["BAD_URLS"]!.components(separatedBy: " ")
for address in addresses {
    let semaphore = DispatchSemaphore(value: 0)
    session.dataTask(with: URL(string: address)!) { _, _, error in
        print((error as? URLError)?.code == .cancelled ? "cancelled" : error == nil ? "loaded" : "failed")
        semaphore.signal()
    }.resume()
    semaphore.wait()
}
