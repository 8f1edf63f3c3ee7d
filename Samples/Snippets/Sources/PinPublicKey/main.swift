import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

class PublicKeyDelegate: NSObject, URLSessionDelegate {
    let pinnedKey: Data

    init?(certificate url: URL) {
        guard let data = try? Data(contentsOf: url),
            let certificate = SecCertificateCreateWithData(nil, data as CFData),
            let key = SecCertificateCopyKey(certificate)
        else { return nil }
        var error: Unmanaged<CFError>?
        guard let representation = SecKeyCopyExternalRepresentation(key, &error) as Data? else {
            print(error!.takeRetainedValue())
            return nil
        }
        pinnedKey = representation
    }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
            let trust = challenge.protectionSpace.serverTrust
        else {
            completionHandler(.performDefaultHandling, nil)
            return
        }
        let policy = SecPolicyCreateSSL(true, challenge.protectionSpace.host as CFString)
        SecTrustSetPolicies(trust, policy)
        guard let key = SecTrustCopyKey(trust),
            let data = SecKeyCopyExternalRepresentation(key, nil) as Data?,
            data == pinnedKey
        else {
            completionHandler(.cancelAuthenticationChallenge, nil)
            return
        }
        if let attributes = SecKeyCopyAttributes(key) as? [String: Any] {
            let type = attributes[kSecAttrKeyType as String] as! String
            print(
                type == kSecAttrKeyTypeECSECPrimeRandom as String, attributes[kSecAttrKeySizeInBits as String] as! Int)
        }
        completionHandler(.useCredential, URLCredential(trust: trust))
    }
}

let files = ProcessInfo.processInfo.environment
for name in ["CERTIFICATE", "OTHER_CERTIFICATE"] {
    let delegate = PublicKeyDelegate(certificate: URL(fileURLWithPath: files[name]!))!
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    let semaphore = DispatchSemaphore(value: 0)
    session.dataTask(with: URL(string: CommandLine.arguments[1])!) { _, response, error in
        if let error = error as NSError? {
            print(error.domain == NSURLErrorDomain, error.code == NSURLErrorCancelled)
        } else {
            print((response as! HTTPURLResponse).statusCode)
        }
        semaphore.signal()
    }.resume()
    semaphore.wait()
    session.finishTasksAndInvalidate()
}
