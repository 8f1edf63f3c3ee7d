import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// One server at home, whose certificate nobody has signed but itself.
class SelfSignedDelegate: NSObject, URLSessionDelegate {
    let trustedHost: String

    init(trustedHost: String) {
        self.trustedHost = trustedHost
    }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
            challenge.protectionSpace.host == trustedHost,
            let serverTrust = challenge.protectionSpace.serverTrust
        {
            completionHandler(.useCredential, URLCredential(trust: serverTrust))
        } else {
            completionHandler(.performDefaultHandling, nil)
        }
    }
}

func load(_ url: URL, trusting host: String) {
    let session = URLSession(
        configuration: .ephemeral, delegate: SelfSignedDelegate(trustedHost: host), delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    let semaphore = DispatchSemaphore(value: 0)
    session.dataTask(with: url) { data, response, error in
        if let error = error as? URLError {
            print("failed:", error.code == .serverCertificateUntrusted)
        } else if let response = response as? HTTPURLResponse {
            print("status", response.statusCode)
        }
        semaphore.signal()
    }.resume()
    semaphore.wait()
}

let url = URL(string: CommandLine.arguments[1])!
load(url, trusting: url.host!)
load(url, trusting: "home.example")
