import Foundation
import URLLoading

/// Reads numbers, rates, paths and addresses that options have as values.
extension OptionReader {
  /// A number of seconds; nil for 0, which is no limit.
  static func seconds(_ value: Double, of option: String) throws(Failure) -> TimeInterval? {
    guard value >= 0, value.isFinite else {
      throw Failure(.usage, "\(option) \(value) leaves no time", advice: "give a number of seconds, or 0 for no limit")
    }
    return value > 0 ? value : nil
  }

  /// A count within limits.
  static func count(_ text: String, from minimum: Int, to maximum: Int = 1000, of option: String) throws(Failure) -> Int
  {
    guard let value = Int(text), (minimum...maximum).contains(value) else {
      throw Failure(
        .usage, "\(option) \(SafeText.escaped(String(text.prefix(40)))) cannot be",
        advice: "give a number from \(minimum) to \(maximum)")
    }
    return value
  }

  /// Bytes, with curl's letters: `500`, `200k`, `1.5M`, `1G`, in powers of 1024.
  static func bytes(_ text: String, of option: String) throws(Failure) -> Int64 {
    let units: [Character: Double] = ["b": 1, "k": 0x1p10, "m": 0x1p20, "g": 0x1p30, "t": 0x1p40]
    let unit = text.last.flatMap { units[Character($0.lowercased())] }
    guard let number = Double(unit == nil ? text : String(text.dropLast())), number >= 0, number < 1e15,
      let count = Int64(exactly: (number * (unit ?? 1)).rounded(.down))
    else {
      throw Failure(
        .usage, "\(option) \(SafeText.escaped(String(text.prefix(40)))) is no number of bytes",
        advice: "write it as 500, 200k, 1.5M or 1G")
    }
    return count
  }

  /// An address, or the name of an interface, as curl has it: `if!NAME`, `host!ADDRESS`, or either alone.
  static func interface(_ text: String) throws(Failure) -> String {
    let prefix = ["if!", "host!"].first { text.hasPrefix($0) } ?? ""
    let place = String(text.dropFirst(prefix.count))
    guard !place.isEmpty, !place.contains("!") else {
      throw Failure(
        .usage, "--interface \(SafeText.escaped(String(text.prefix(60)))) names no interface",
        advice: "give an address of this machine, or a name that ip(8) shows")
    }
    return place
  }

  /// `PORT` or `PORT-PORT`.
  static func ports(_ text: String) throws(Failure) -> ClosedRange<UInt16> {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0) }
    guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], 0 < first, first <= last
    else {
      throw Failure(
        .usage, "--local-port \(SafeText.escaped(String(text.prefix(40)))) cannot be",
        advice: "write it as PORT or PORT-PORT, from 1 to 65535")
    }
    return first...last
  }

  /// A path, from the root.
  static func absolutePath(_ text: String, of option: String) throws(Failure) -> String {
    guard !text.isEmpty else { throw Failure(.usage, "\(option) names no path", advice: "write \(option) PATH") }
    return text.hasPrefix("/") ? text : FileManager.default.currentDirectoryPath + "/" + text
  }

  /// `HOST:PORT:ADDRESS[,ADDRESS]…`, where an address of IPv6 may be in brackets.
  static func address(_ text: String) throws(Failure) -> (key: String, addresses: [String]) {
    let parts = text.drop { $0 == "+" }.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, let port = UInt16(parts[1]), port > 0 else {
      throw Failure(
        .usage, "--resolve \(SafeText.escaped(String(text.prefix(80)))) names no address",
        advice: "write it as --resolve HOST:PORT:ADDRESS")
    }
    let addresses = parts[2].split(separator: ",", omittingEmptySubsequences: false).map { part in
      String(part.hasPrefix("[") && part.hasSuffix("]") ? part.dropFirst().dropLast() : part)
    }
    for address in addresses {
      var (four, six) = (in_addr(), in6_addr())
      guard inet_pton(AF_INET, address, &four) == 1 || inet_pton(AF_INET6, address, &six) == 1 else {
        throw Failure(
          .usage, "--resolve has \"\(SafeText.escaped(String(address.prefix(60))))\", which is no address",
          advice: "write it as --resolve HOST:PORT:ADDRESS, the address in digits")
      }
    }
    return ("\(parts[0].lowercased()):\(port)", addresses)
  }
}
