import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Data {
    mutating func append(_ string: String) {
        if let data = string.data(using: .utf8) {
            append(data)
        }
    }
}

struct MultipartForm {
    let boundary = "Boundary-\(UUID().uuidString)"
    private var body = Data()

    mutating func addField(named name: String, value: String) {
        body.append("--\(boundary)\r\n")
        body.append("Content-Disposition: form-data; name=\"\(name)\"\r\n\r\n")
        body.append("\(value)\r\n")
    }

    mutating func addFile(named name: String, filename: String, mimeType: String, data: Data) {
        body.append("--\(boundary)\r\n")
        body.append("Content-Disposition: form-data; name=\"\(name)\"; filename=\"\(filename)\"\r\n")
        body.append("Content-Type: \(mimeType)\r\n\r\n")
        body.append(data)
        body.append("\r\n")
    }

    var httpBody: Data {
        var data = body
        data.append("--\(boundary)--\r\n")
        return data
    }
}

class UploadObserver: NSObject, URLSessionTaskDelegate {
    var sent: Int64 = 0

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        sent = totalBytesSent
        if totalBytesSent == totalBytesExpectedToSend {
            print("All sent")
        }
    }
}

var form = MultipartForm()
form.addField(named: "title", value: "Ein Bild")
form.addFile(named: "image", filename: "image.png", mimeType: "image/png", data: Data(repeating: 7, count: 200_000))

var request = URLRequest(url: URL(string: CommandLine.arguments[1])!.appendingPathComponent("form"))
request.httpMethod = "POST"
request.setValue("multipart/form-data; boundary=\(form.boundary)", forHTTPHeaderField: "Content-Type")

let observer = UploadObserver()
let session = URLSession(configuration: .default, delegate: observer, delegateQueue: nil)
let body = form.httpBody
let group = DispatchGroup()
group.enter()
session.uploadTask(with: request, from: body) { data, response, error in
    defer { group.leave() }
    guard let data = data, let response = response as? HTTPURLResponse, error == nil else {
        print("Upload failed: \(String(describing: error))")
        return
    }
    print("Status", response.statusCode)
    if let json = try? JSONSerialization.jsonObject(with: data) as? [String: Any] {
        for (key, value) in json.sorted(by: { $0.key < $1.key }) {
            print(key, value)
        }
    }
}.resume()
group.wait()
print(observer.sent == Int64(body.count))
session.invalidateAndCancel()
