import Foundation
internal import URLLoadingCOpenSSL

extension Date {
  /// A time of a certificate or a response; nil for none, and for one that cannot be read.
  init?(_ time: UnsafePointer<ASN1_TIME>?) {
    var parts = tm()
    guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
    self.init(timeIntervalSince1970: TimeInterval(timegm(&parts)))
  }
}
