import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class EvaluatingDelegate: NSObject, URLSessionDelegate {
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let protectionSpace = challenge.protectionSpace
        guard protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
            let serverTrust = protectionSpace.serverTrust
        else {
            completionHandler(.performDefaultHandling, nil)
            return
        }
        var error: CFError?
        let isTrusted = SecTrustEvaluateWithError(serverTrust, &error)
        print(isTrusted, error.map { CFErrorGetCode($0) } ?? 0)
        if let error = error {
            let description = CFErrorCopyDescription(error) as String
            print(description.isEmpty, error.localizedDescription == description)
        }
        completionHandler(.performDefaultHandling, nil)
    }
}

let session = URLSession(configuration: .ephemeral, delegate: EvaluatingDelegate(), delegateQueue: nil)
let addresses =
    [CommandLine.arguments[1]] + ProcessInfo.processInfo.environment["BAD_URLS"]!.components(separatedBy: " ")
let group = DispatchGroup()
for address in addresses {
    group.enter()
    session.dataTask(with: URL(string: address)!) { _, response, error in
        if let error = error as? URLError {
            switch error.code {
            case .serverCertificateHasBadDate: print("bad date")
            case .serverCertificateUntrusted: print("untrusted")
            case .serverCertificateHasUnknownRoot: print("unknown root")
            case .serverCertificateNotYetValid: print("not yet valid")
            default: print(error)
            }
        } else {
            print((response as! HTTPURLResponse).statusCode)
        }
        group.leave()
    }.resume()
    group.wait()
}
