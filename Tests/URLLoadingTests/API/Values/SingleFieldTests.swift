import Foundation
import Testing

@testable import URLLoading

/// Fields of which there may be one, sent several times.
@Suite struct SingleFieldTests {
  private func response(_ status: Int = 200, _ fields: [(name: String, value: String)]) -> HTTPURLResponse {
    HTTPURLResponse(url: "http://h/a" as URL, statusCode: status, httpVersion: "HTTP/1.1", fields: fields)
  }

  @Test(
    "Fetch: extract a MIME type",
    arguments: [
      (["text/plain;charset=gbk, text/html"], "text/html", nil),
      (["text/plain;charset=gbk", "text/html"], "text/html", nil),
      (["text/html;charset=gbk;a=b, text/html;x=y"], "text/html", "gbk"),
      (["text/html;charset=gbk", "text/html;charset=utf-8"], "text/html", "utf-8"),
      (["text/html;charset=gbk;a=b", "x/x", "text/html;x=y"], "text/html", nil),
      (["text/html", "cannot-parse"], "text/html", nil), (["text/html", "*/*"], "text/html", nil),
      (["text/html", ""], "text/html", nil), (["text/plain;a=\",\";charset=utf-8"], "text/plain", "utf-8"),
      (["text/plain;a=\"\\\",text/html;b=\";charset=utf-8"], "text/plain", "utf-8"),
      (["cannot-parse, text/html; charset=utf-8,"], "text/html", "utf-8"), ([","], nil, nil),
    ] as [([String], String?, String?)])
  func contentType(_ values: [String], _ type: String?, _ charset: String?) {
    let response = response(200, values.map { ("Content-Type", $0) })
    #expect(response.mimeType == type && response.textEncodingName == charset)
  }

  @Test func validatorsThatDifferAreNone() {
    let date = "Tue, 14 Nov 2023 22:13:20 GMT"
    let sent = ("Date", "Tue, 14 Nov 2023 23:13:20 GMT")
    #expect(response(200, [("ETag", "\"a\""), ("ETag", "\"a\"")]).validators.ifRangeValue == "\"a\"")
    let tags = response(200, [("ETag", "\"a\""), ("ETag", "\"b\""), ("Last-Modified", date), sent]).validators
    #expect(tags.entityTag == nil && !tags.isStrong)
    let same = response(200, [("Last-Modified", date), ("Last-Modified", date), sent]).validators
    #expect(same.isStrong)
    let dates = response(200, [("Last-Modified", date), ("Last-Modified", sent.1), sent]).validators
    #expect(dates.isEmpty)
    // When it was sent is unknown, and so how much the date tells.
    #expect(
      !response(200, [("Last-Modified", date), sent, ("Date", "Wed, 15 Nov 2023 23:13:20 GMT")]).validators.isStrong)
  }

  @Test func otherFields() {
    let names = [("Content-Disposition", "attachment; filename=a"), ("Content-Disposition", "attachment; filename=b")]
    #expect(response(200, names).suggestedFilename == "a")
    let empty = [("Content-Disposition", "attachment; filename*=UTF-8''; filename=\"b.txt\"")]
    #expect(response(200, empty).suggestedFilename == "b.txt")
    let range = ("Content-Range", "bytes 0-9/100")
    #expect(response(206, [range, range]).contentRange?.length == 10)
    #expect(response(206, [range, ("Content-Range", "bytes 10-19/100")]).contentRange == nil)
  }
}
