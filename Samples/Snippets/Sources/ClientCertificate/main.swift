import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct IdentityAndTrust {
    var identityRef: SecIdentity
    var trust: SecTrust
    var certArray: [SecCertificate]
}

func extractIdentity(certData: NSData, certPassword: String) -> IdentityAndTrust? {
    var items: CFArray?
    let options: NSDictionary = [kSecImportExportPassphrase as String: certPassword]
    let securityError = SecPKCS12Import(certData, options, &items)
    guard securityError == errSecSuccess else {
        print(SecCopyErrorMessageString(securityError, nil) as String? ?? "-", securityError)
        return nil
    }
    guard let certItems = items as? [[String: AnyObject]], let certEntry = certItems.first else { return nil }
    let identity = certEntry[kSecImportItemIdentity as String] as! SecIdentity
    let trust = certEntry[kSecImportItemTrust as String] as! SecTrust
    let chain = certEntry[kSecImportItemCertChain as String] as! [SecCertificate]
    return IdentityAndTrust(identityRef: identity, trust: trust, certArray: chain)
}

class ClientCertificateDelegate: NSObject, URLSessionDelegate {
    let identityAndTrust: IdentityAndTrust?

    init(_ identityAndTrust: IdentityAndTrust?) {
        self.identityAndTrust = identityAndTrust
    }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        switch challenge.protectionSpace.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust:
            completionHandler(.useCredential, URLCredential(trust: challenge.protectionSpace.serverTrust!))
        case NSURLAuthenticationMethodClientCertificate:
            print("authorities:", challenge.protectionSpace.distinguishedNames!.count)
            guard let identityAndTrust = identityAndTrust else {
                return completionHandler(.performDefaultHandling, nil)
            }
            let credential = URLCredential(
                identity: identityAndTrust.identityRef, certificates: identityAndTrust.certArray as [AnyObject],
                persistence: URLCredential.Persistence.forSession)
            completionHandler(.useCredential, credential)
        default:
            completionHandler(.performDefaultHandling, nil)
        }
    }
}

let file = NSData(contentsOfFile: ProcessInfo.processInfo.environment["PKCS12"]!)!
_ = extractIdentity(certData: file, certPassword: "wrong")
let identity = extractIdentity(certData: file, certPassword: "secret")
var certificate: SecCertificate?
SecIdentityCopyCertificate(identity!.identityRef, &certificate)
print(SecCertificateCopySubjectSummary(certificate!)! as String)

for delegate in [ClientCertificateDelegate(identity), ClientCertificateDelegate(nil)] {
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    let semaphore = DispatchSemaphore(value: 0)
    session.dataTask(with: URL(string: CommandLine.arguments[1])!) { data, _, error in
        if let error = error as? URLError {
            print("required:", error.code == .clientCertificateRequired)
        } else {
            print(String(decoding: data!, as: UTF8.self).split(separator: "\n").last!)
        }
        semaphore.signal()
    }.resume()
    semaphore.wait()
    session.finishTasksAndInvalidate()
}
