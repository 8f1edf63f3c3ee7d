import Testing

@testable import URLLoading

@Suite struct UploadLimitsTests {
  @Test func theyAreReadFromTheField() {
    let limits = UploadLimits([
      "max-size=100, min-size=1, new=tok", "max-append-size=10, min-append-size=5, max-age=60",
    ])
    #expect(limits?.maximumSize == 100 && limits?.minimumSize == 1 && limits?.maximumPartSize == 10)
    #expect(limits?.minimumPartSize == 5 && limits?.lifetime == 60)
    // A value of another type spoils the field.
    for text in ["max-size=?1", "max-size", "max-size=1.5, max-age=1", "max-size=-1", "max-size=1;"] {
      #expect(UploadLimits([text]) == nil, "\(text)")
    }
    #expect(UploadLimits([]) == nil)
  }
}
