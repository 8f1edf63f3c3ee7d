import Foundation
import Testing

@testable import URLLoading

@Suite struct RequestOptionsTests {
  /// Each option: how it is set, and whether a request has it so.
  private struct Change: Sendable {
    let name: String
    let set: @Sendable (inout URLRequest) -> Void
    let isSet: @Sendable (URLRequest) -> Bool

    init(
      _ name: String, _ set: @escaping @Sendable (inout URLRequest) -> Void,
      _ isSet: @escaping @Sendable (URLRequest) -> Bool
    ) {
      self.name = name
      self.set = set
      self.isSet = isSet
    }
  }

  private static let changes = [
    Change("cellular", { $0.allowsCellularAccess = false }, { !$0.allowsCellularAccess }),
    Change("expensive", { $0.allowsExpensiveNetworkAccess = false }, { !$0.allowsExpensiveNetworkAccess }),
    Change("constrained", { $0.allowsConstrainedNetworkAccess = false }, { !$0.allowsConstrainedNetworkAccess }),
    Change("pipelining", { $0.httpShouldUsePipelining = true }, { $0.httpShouldUsePipelining }),
    Change("HTTP/3", { $0.assumesHTTP3Capable = true }, { $0.assumesHTTP3Capable }),
    Change("attribution", { $0.attribution = .user }, { $0.attribution == .user }),
    Change("DNSSEC", { $0.requiresDNSSECValidation = true }, { $0.requiresDNSSECValidation }),
    Change("partition", { $0.cookiePartitionIdentifier = "a" }, { $0.cookiePartitionIdentifier == "a" }),
  ]

  private let plain = URLRequest(url: "http://a/")

  @Test func eachIsKeptByItself() {
    for change in Self.changes {
      var request = plain
      change.set(&request)
      #expect(Self.changes.filter { $0.isSet(request) }.map(\.name) == [change.name])
      #expect(!change.isSet(plain))
      var other = request
      other.setValue("1", forHTTPHeaderField: "A")
      #expect(change.isSet(other))
    }
  }

  @Test func eachCountsWhereRequestsAreCompared() {
    for change in Self.changes {
      var request = plain
      change.set(&request)
      #expect(request != plain && NSURLRequest(request) != NSURLRequest(plain), "\(change.name)")
    }
    var back = plain
    back.allowsCellularAccess = false
    back.allowsCellularAccess = true
    #expect(back == plain && back.hashValue == plain.hashValue)
  }

  @Test func eachIsKeptByObjectsAndArchives() throws {
    for change in Self.changes {
      var request = plain
      change.set(&request)
      let object = request as NSURLRequest
      #expect(change.isSet(object as URLRequest))
      let copy = try #require(object.mutableCopy() as? NSMutableURLRequest)
      #expect(change.isSet(copy as URLRequest))
      #expect(change.isSet(try #require(try archivedAndBack(object)) as URLRequest), "\(change.name)")
    }
  }

  @Test func objectsHaveThem() {
    let object = NSMutableURLRequest(url: "http://a/")
    #expect(object.allowsCellularAccess && object.allowsExpensiveNetworkAccess && object.allowsConstrainedNetworkAccess)
    #expect(!object.httpShouldUsePipelining && !object.assumesHTTP3Capable && !object.requiresDNSSECValidation)
    #expect(object.attribution == .developer && object.cookiePartitionIdentifier == nil)
    object.allowsCellularAccess = false
    object.allowsExpensiveNetworkAccess = false
    object.allowsConstrainedNetworkAccess = false
    object.httpShouldUsePipelining = true
    object.assumesHTTP3Capable = true
    object.requiresDNSSECValidation = true
    object.attribution = .user
    object.cookiePartitionIdentifier = "a"
    let immutable = NSURLRequest(object.request)
    #expect(Self.changes.allSatisfy { $0.isSet(object as URLRequest) })
    #expect(!immutable.allowsCellularAccess && !immutable.allowsExpensiveNetworkAccess)
    #expect(!immutable.allowsConstrainedNetworkAccess && immutable.httpShouldUsePipelining)
    #expect(immutable.assumesHTTP3Capable && immutable.requiresDNSSECValidation)
    #expect(immutable.attribution == .user && immutable.cookiePartitionIdentifier == "a")
  }

  @Test func eachIsKeptByResumeData() throws {
    for change in Self.changes {
      var request = plain
      change.set(&request)
      var data = ResumeData(
        url: "http://a/", originalURL: "http://a/", bytesReceived: 1, entityTag: "\"x\"", localPath: "/tmp/x")
      data.options = request.options
      let session = URLSession(configuration: .ephemeral)
      let task = session.downloadTask(withResumeData: try data.serialized())
      #expect(task.originalRequest.map { change.isSet($0) } == true, "\(change.name)")
      session.invalidateAndCancel()
    }
  }

  @Test func aForgedArchiveGivesDefaults() {
    let forged: [Any] = ["no list", ["attribution": 7], ["attribution": -1, "allowsCellularAccess": "no"], [5]]
    for options in forged {
      let request = URLRequest(propertyList: ["method": "GET", "url": "http://a/", "options": options])
      #expect(request == plain)
    }
  }

  @Test func rawValuesAreApples() {
    #expect(URLRequest.Attribution.developer.rawValue == 0 && URLRequest.Attribution.user.rawValue == 1)
  }

  @Test func theMirrorHasThem() {
    let labels = Mirror(reflecting: plain).children.compactMap(\.label)
    #expect(labels.contains("allowsCellularAccess") && labels.contains("cookiePartitionIdentifier"))
  }
}
