import Testing

@testable import URLLoadingHTTPSemantics

/// RFC 7838, section 3: which fields count, and what they say.
@Suite struct AltSvcFieldTests {
  private static func h3(
    _ host: String = "", _ port: UInt16 = 443, age: Int64 = AltSvcField.defaultAge, persists: Bool = false,
    name: String = "h3"
  ) -> AltSvcField.Service {
    AltSvcField.Service(protocolName: name, host: host, port: port, maxAge: age, persists: persists)
  }

  /// Nil for a field that is to be ignored.
  private static let fields: [(field: String, expected: AltSvcField?)] = [
    // The examples.
    ("h2=\":8000\"", .services([h3("", 8000, name: "h2")])),
    ("h2=\"new.example.org:80\"", .services([h3("new.example.org", 80, name: "h2")])),
    ("w%3Dx%3Ay#z=\":443\"", .services([h3(name: "w=x:y#z")])),
    ("x%25y=\":443\"", .services([h3(name: "x%y")])),
    ("h2=\":443\"; ma=3600", .services([h3(age: 3600, name: "h2")])),
    ("h2=\":443\"; ma=2592000; persist=1", .services([h3(age: 2_592_000, persists: true, name: "h2")])),
    (
      "h2=\"alt.example.com:8000\", h2=\":443\"",
      .services([h3("alt.example.com", 8000, name: "h2"), h3(name: "h2")])
    ),
    ("clear", .clear),
    // As servers send it.
    ("h3=\":443\"; ma=86400, h3-29=\":443\"; ma=86400", .services([h3(), h3(name: "h3-29")])),
    // White space, empty members, quoted values, and the case of names of parameters.
    (" h3=\":443\" ;\tMA=1 ,, ", .services([h3(age: 1)])),
    ("h3=\":443\";ma=\"1\";Persist=\"1\"", .services([h3(age: 1, persists: true)])),
    // Other values of persist, and other parameters, mean nothing.
    ("h3=\":443\"; persist=0; v=\"46,43\"", .services([h3()])), ("h3=\":443\"; persist=true", .services([h3()])),
    // Hosts in lower case; an address of IPv6 has brackets there.
    ("h3=\"EXAMPLE.org:1\"", .services([h3("example.org", 1)])), ("h3=\"[::1]:65535\"", .services([h3("::1", 65535)])),
    // Beside alternatives it ends them, too; and as the name of a protocol it is none.
    ("h3=\":443\", clear", .clear), ("clear=\":443\"", .services([h3(name: "clear")])),
    // In this case alone.
    ("Clear", nil), ("CLEAR", nil),
    // What has no room is long.
    ("h3=\":443\"; ma=99999999999999999999", .services([h3(age: AltSvcField.longestAge)])),
    // Anything that is wrong makes the whole field be ignored.
    ("", nil), (",", nil), ("h3", nil), ("h3=", nil), ("h3=:443", nil), ("h3=\"443\"", nil), ("h3=\":\"", nil),
    ("h3=\":0\"", nil), ("h3=\":65536\"", nil), ("h3=\":-1\"", nil), ("h3=\":+1\"", nil), ("h3=\":443", nil),
    ("h3=\"a b:443\"", nil), ("h3=\"a/b:443\"", nil), ("h3=\"a@b:443\"", nil), ("h3=\"::1:443\"", nil),
    ("h3=\"a,b:443\"", nil), ("h3=\":443\"; ma", nil), ("h3=\":443\"; ma=", nil), ("h3=\":443\"; ma=-1", nil),
    ("h3=\":443\"; ma=1.5", nil), ("h3=\":443\"; ma =1", nil), ("h3=\":443\" h2=\":443\"", nil),
    ("h3=\":443\"; ma=x, h2=\":443\"", nil), ("%3=\":443\"", nil), ("h%zz=\":443\"", nil), ("=\":443\"", nil),
  ]

  @Test(arguments: fields.indices) func aField(_ index: Int) {
    let (field, expected) = Self.fields[index]
    #expect(AltSvcField(field) == expected, "\(field)")
  }

  @Test func aLongListEndsSomewhere() {
    let field = Array(repeating: "h3=\":443\"", count: 1000).joined(separator: ",")
    #expect(AltSvcField(field) == .services(Array(repeating: Self.h3(), count: AltSvcField.maximumServices)))
  }

  @Test func noBytesCrash() {
    var bytes: [UInt8] = Array("h3=\"a:443\"; ma=1; persist=1, clear".utf8)
    for position in bytes.indices {
      for byte in UInt8.min...UInt8.max {
        let old = bytes[position]
        bytes[position] = byte
        _ = AltSvcField(String(decoding: bytes, as: UTF8.self))
        bytes[position] = old
      }
      _ = AltSvcField(String(decoding: bytes[..<position], as: UTF8.self))
    }
  }
}
