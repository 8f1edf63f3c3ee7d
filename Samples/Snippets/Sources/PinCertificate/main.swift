import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The most copied answer to "URLSession certificate pinning".
class PinningManager: NSObject, URLSessionDelegate {
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Swift.Void
    ) {
        if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust {
            if let serverTrust = challenge.protectionSpace.serverTrust {
                var secresult = SecTrustResultType.invalid
                let status = SecTrustEvaluate(serverTrust, &secresult)

                if errSecSuccess == status {
                    if let serverCertificate = SecTrustGetCertificateAtIndex(serverTrust, 0) {
                        let serverCertificateData = SecCertificateCopyData(serverCertificate)
                        let data = CFDataGetBytePtr(serverCertificateData)
                        let size = CFDataGetLength(serverCertificateData)
                        let cert1 = NSData(bytes: data!, length: size)
                        let file_der = ProcessInfo.processInfo.environment["CERTIFICATE"]

                        if let file = file_der {
                            if let cert2 = NSData(contentsOfFile: file) {
                                if cert1.isEqual(to: cert2 as Data) {
                                    completionHandler(
                                        URLSession.AuthChallengeDisposition.useCredential,
                                        URLCredential(trust: serverTrust))
                                    return
                                }
                            }
                        }
                    }
                }
            }
        }

        // Pinning failed
        completionHandler(URLSession.AuthChallengeDisposition.cancelAuthenticationChallenge, nil)
    }
}

for address in [CommandLine.arguments[1], ProcessInfo.processInfo.environment["OTHER_URL"]!] {
    let session = URLSession(
        configuration: URLSessionConfiguration.ephemeral, delegate: PinningManager(), delegateQueue: nil)
    let semaphore = DispatchSemaphore(value: 0)
    let task = session.dataTask(with: URL(string: address)!) { (data, response, error) -> Void in
        if error != nil {
            print("error:", (error! as NSError).code)
        } else {
            print("success", data!.isEmpty == false)
        }
        semaphore.signal()
    }
    task.resume()
    semaphore.wait()
}
