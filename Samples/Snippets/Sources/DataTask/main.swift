import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let baseURL = URL(string: CommandLine.arguments[1])!

// A data task with a completion handler, and a semaphore so that the script does not end before it.
let semaphore = DispatchSemaphore(value: 0)

let task = URLSession.shared.dataTask(with: baseURL.appendingPathComponent("small.txt")) { data, response, error in
    defer { semaphore.signal() }
    if let error = error {
        print("Error: \(error.localizedDescription)")
        return
    }
    guard let httpResponse = response as? HTTPURLResponse, (200...299).contains(httpResponse.statusCode) else {
        print("Server error")
        return
    }
    if let mimeType = httpResponse.mimeType, mimeType == "text/plain",
        let data = data, let string = String(data: data, encoding: .utf8)
    {
        print(httpResponse.statusCode, data.count, string.components(separatedBy: "\n")[0])
    }
}
task.resume()
semaphore.wait()

// The synchronous form that scripts like to have.
extension URLSession {
    func synchronousDataTask(with request: URLRequest) -> (Data?, URLResponse?, Error?) {
        var data: Data?
        var response: URLResponse?
        var error: Error?

        let semaphore = DispatchSemaphore(value: 0)
        let dataTask = self.dataTask(with: request) {
            data = $0
            response = $1
            error = $2
            semaphore.signal()
        }
        dataTask.resume()
        _ = semaphore.wait(timeout: .distantFuture)

        return (data, response, error)
    }
}

var request = URLRequest(url: baseURL.appendingPathComponent("echo"), timeoutInterval: 10)
request.httpMethod = "POST"
request.setValue("application/json", forHTTPHeaderField: "Content-Type")
request.httpBody = try JSONSerialization.data(withJSONObject: ["title": "Hello"], options: [])

let (data, response, error) = URLSession.shared.synchronousDataTask(with: request)
if let error = error {
    print("Synchronous task ended with error: \(error)")
} else if let data = data {
    print("Status:", (response as! HTTPURLResponse).statusCode)
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
    print(lines.filter { $0.hasPrefix("method") || $0.hasPrefix("content-") }.joined(separator: "\n"))
}

let refused = URLSession.shared.synchronousDataTask(with: URLRequest(url: URL(string: "http://127.0.0.1:1/")!))
if let error = refused.2 as? URLError {
    print(refused.0 == nil, refused.1 == nil, error.code == .cannotConnectToHost, (error as NSError).code)
}
