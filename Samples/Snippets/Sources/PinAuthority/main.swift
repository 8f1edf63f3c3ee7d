import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Trusts a company's own authority, and nobody else.
class AuthorityDelegate: NSObject, URLSessionTaskDelegate {
    let anchors: [SecCertificate]

    init(files: [String]) {
        anchors = files.compactMap { path in
            guard let data = NSData(contentsOfFile: path) else { return nil }
            return SecCertificateCreateWithData(kCFAllocatorDefault, data)
        }
    }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let serverTrust = challenge.protectionSpace.serverTrust else {
            return completionHandler(.performDefaultHandling, nil)
        }
        SecTrustSetAnchorCertificates(serverTrust, anchors as CFArray)
        SecTrustSetAnchorCertificatesOnly(serverTrust, true)
        var error: CFError?
        if SecTrustEvaluateWithError(serverTrust, &error) {
            completionHandler(.useCredential, URLCredential(trust: serverTrust))
        } else {
            print("not trusted:", (error! as Error as NSError).domain == NSOSStatusErrorDomain)
            completionHandler(.rejectProtectionSpace, nil)
        }
    }
}

let environment = ProcessInfo.processInfo.environment
let delegate = AuthorityDelegate(files: [environment["AUTHORITY"]!])
let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
for address in [CommandLine.arguments[1], environment["OTHER_URL"]!] {
    do {
        let (data, response) = try await session.data(from: URL(string: address)!)
        print((response as! HTTPURLResponse).statusCode, !data.isEmpty)
    } catch {
        print((error as! URLError).code == .serverCertificateUntrusted)
    }
}
