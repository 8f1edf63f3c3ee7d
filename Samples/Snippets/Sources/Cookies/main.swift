import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let baseURL = URL(string: CommandLine.arguments[1])!
let storage = HTTPCookieStorage.shared
storage.cookieAcceptPolicy = .always

func fetch(_ path: String, using session: URLSession = .shared) -> String {
    let semaphore = DispatchSemaphore(value: 0)
    var result = ""
    session.dataTask(with: baseURL.appendingPathComponent(path)) { data, _, _ in
        result = data.flatMap { String(data: $0, encoding: .utf8) } ?? ""
        semaphore.signal()
    }.resume()
    semaphore.wait()
    return result
}

// The server sets two.
_ = fetch("cookies/set")
let echo = baseURL.appendingPathComponent("cookies/echo")
for cookie in (storage.cookies(for: echo) ?? []).sorted(by: { $0.name < $1.name }) {
    print("\(cookie.name)=\(cookie.value); \(cookie.path)", cookie.isHTTPOnly, cookie.isSessionOnly, cookie.isSecure)
}
print("sent:", fetch("cookies/echo"))

// One made by hand, which outlives the session.
let properties: [HTTPCookiePropertyKey: Any] = [
    .domain: baseURL.host!,
    .path: "/",
    .name: "token",
    .value: "abc123",
    .expires: Date(timeIntervalSinceNow: 31_556_926),
]
if let cookie = HTTPCookie(properties: properties) {
    storage.setCookie(cookie)
}
print("sent:", fetch("cookies/echo").components(separatedBy: "; ").sorted().joined(separator: "; "))

// Header fields both ways.
let cookies = HTTPCookie.cookies(
    withResponseHeaderFields: ["Set-Cookie": "a=1; Path=/, b=2; Path=/; Secure"], for: baseURL)
print(cookies.map { "\($0.name) \($0.isSecure)" }.joined(separator: ", "))
print(HTTPCookie.requestHeaderFields(with: cookies)["Cookie"] ?? "-")

// An ephemeral session has a storage of its own; one without a storage sends none.
print("ephemeral:", fetch("cookies/echo", using: URLSession(configuration: .ephemeral)))
let configuration = URLSessionConfiguration.default
configuration.httpCookieStorage = nil
print("none:", fetch("cookies/echo", using: URLSession(configuration: configuration)))

storage.cookies?.forEach { storage.deleteCookie($0) }
print("left:", storage.cookies(for: echo)?.count ?? 0)
