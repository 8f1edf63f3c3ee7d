import Testing

@testable import URLLoadingCurlTransport

/// The table from libcurl's codes to those of `URLError`.
@Suite struct ErrorTableTests {
  private func code(_ curl: Int, _ message: String = "", _ context: CurlErrorContext = CurlErrorContext()) -> Int {
    CurlErrorTable.urlErrorCode(forCurlCode: curl, message: message, context: context).rawValue
  }

  /// Codes without a meaning for HTTP and FTP: wrong use of libcurl, other protocols, out of use.
  private static let meaningless: Set<Int> = [
    2, 20, 24, 27, 29, 32, 34, 37, 38, 39, 40, 41, 44, 46, 48, 49, 50, 51, 57, 62, 68, 69, 71, 72, 74, 75, 76, 79,
    85, 86, 93,
  ]

  @Test(arguments: 1...101)
  func everyCodeHasItsError(curl: Int) {
    #expect((code(curl) == -1) == Self.meaningless.contains(curl))
    #expect(code(curl) < 0)
  }

  @Test(arguments: [
    (3, -1000), (5, -1003), (6, -1003), (7, -1004), (18, -1005), (28, -1001), (35, -1200), (47, -1007), (52, -1005),
    (43, -1017), (55, -1005), (56, -1005), (58, -1205), (60, -1202), (61, -1016), (63, -1103), (65, -1021), (67, -1013),
    (78, -1100),
    (98, -1206), (1, -1002), (8, -1017), (97, -1004), (77, -1200),
  ])
  func theUsualMeaning(curl: Int, expected: Int) {
    #expect(code(curl) == expected)
  }

  @Test func numbersThatNobodyKnows() {
    #expect(code(0) == -1)
    #expect(code(102) == -1)
    #expect(code(-7) == -1)
    #expect(code(.max) == -1)
  }

  @Test func noHTTPAtAll() {
    #expect(code(1, "Received HTTP/0.9 when not allowed") == -1017)
    #expect(code(56, "Illegal or missing hexadecimal sequence in chunked-encoding") == -1017)
    #expect(code(27, "", CurlErrorContext(isConnected: true)) == -1103)
    #expect(code(27, "", CurlErrorContext(hasResponse: true, isConnected: true)) == -1)
  }

  @Test func theNetworkIsAway() {
    #expect(code(7, "", CurlErrorContext(lacksRoute: true)) == -1009)
    #expect(code(7, "", CurlErrorContext(isConnected: true, lacksRoute: true)) == -1009)
    #expect(code(7, "", CurlErrorContext()) == -1004)
    // FTP's data connection.
    #expect(code(7, "", CurlErrorContext(kind: .ftp, lacksRoute: true)) == -1009)
    #expect(code(7, "", CurlErrorContext(kind: .ftp, isConnected: true, lacksRoute: true)) == -1004)
  }

  @Test(arguments: [
    (10, -1201), (9, -1204), (2, -1202), (18, -1202), (19, -1202), (20, -1202), (21, -1202), (62, -1202), (0, -1202),
    (23, -1202),
  ])
  func certificates(result: Int, expected: Int) {
    #expect(code(60, "", CurlErrorContext(verifyResult: result)) == expected)
  }

  @Test func clientCertificates() {
    #expect(code(56, "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required") == -1206)
    #expect(code(56, "error:0A000412:SSL routines::sslv3 alert bad certificate") == -1205)
    let lacking = CurlErrorContext(lacksIdentity: true)
    #expect(code(56, "error:0A000412:SSL routines::sslv3 alert bad certificate", lacking) == -1206)
    #expect(code(35, "error:0A00042E:SSL routines::tlsv1 alert protocol version", lacking) == -1200)
    #expect(code(35, "error:0A000418:SSL routines::tlsv1 alert unknown ca") == -1205)
    #expect(code(35, "error:0A00042E:SSL routines::tlsv1 alert protocol version") == -1200)
  }

  @Test func theProxysAnswer() {
    // The newest versions take a refused tunnel for one that could not be connected.
    for number in [56, 7] {
      #expect(code(number, "CONNECT tunnel failed, response 407", CurlErrorContext(proxyStatusCode: 407)) == -1013)
      #expect(code(number, "CONNECT tunnel failed, response 403", CurlErrorContext(proxyStatusCode: 403)) == -1004)
    }
    #expect(code(56, "", CurlErrorContext(proxyStatusCode: 200)) == -1005)
  }

  @Test(arguments: [
    (78, 550, "550 No such file or directory.", -1100), (19, 550, "550 Failed to open file.", -1100),
    (9, 550, "550 Failed to change directory.", -1100), (78, 550, "550 Permission denied.", -1102),
    (25, 550, "550 Not enough privileges.", -1102), (25, 553, "553 Could not create file.", -1102),
    (19, 450, "450 Busy", -1011), (19, 550, "550 Is a directory.", -1101), (67, 530, "530 Login incorrect.", -1013),
    (25, 552, "552 Quota exceeded", -3003), (9, 530, "530 Please login", -1013),
  ])
  func ftp(curl: Int, reply: Int, text: String, expected: Int) {
    #expect(code(curl, "", CurlErrorContext(kind: .ftp, ftpReplyCode: reply, ftpReplyText: text)) == expected)
  }
}
