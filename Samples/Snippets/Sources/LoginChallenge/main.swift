import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

class LoginDelegate: NSObject, URLSessionTaskDelegate {
    let credential: URLCredential

    init(user: String, password: String) {
        credential = URLCredential(user: user, password: password, persistence: .forSession)
        super.init()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let space = challenge.protectionSpace
        guard space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic else {
            completionHandler(.performDefaultHandling, nil)
            return
        }
        print("challenge", space.realm ?? "-", challenge.previousFailureCount)
        if challenge.previousFailureCount > 1 {
            completionHandler(.cancelAuthenticationChallenge, nil)
        } else {
            completionHandler(.useCredential, credential)
        }
    }
}

let url = URL(string: CommandLine.arguments[1])!.appendingPathComponent("basic/small.txt")

func load(with delegate: URLSessionDelegate?, authorization: String? = nil) {
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    var request = URLRequest(url: url)
    if let authorization = authorization {
        request.setValue(authorization, forHTTPHeaderField: "Authorization")
    }
    let semaphore = DispatchSemaphore(value: 0)
    session.dataTask(with: request) { data, response, error in
        switch (response as? HTTPURLResponse, error) {
        case (_, let error as URLError): print("failed:", error.code == .cancelled)
        case (let response?, _): print("status", response.statusCode, data?.count == 1024)
        default: print("nothing")
        }
        semaphore.signal()
    }.resume()
    semaphore.wait()
}

load(with: LoginDelegate(user: "user", password: "password"))
load(with: LoginDelegate(user: "user", password: "wrong"))
load(with: nil)
load(with: nil, authorization: "Basic " + Data("user:password".utf8).base64EncodedString())
