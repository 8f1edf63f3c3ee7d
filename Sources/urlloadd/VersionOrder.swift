/// The order of versions: numbers between full stops.
enum VersionOrder {
  static func isNewer(_ version: String, than other: String) -> Bool {
    let (left, right) = (numbers(of: version), numbers(of: other))
    for index in 0..<max(left.count, right.count) {
      let (first, second) = (index < left.count ? left[index] : 0, index < right.count ? right[index] : 0)
      if first != second { return first > second }
    }
    return false
  }

  private static func numbers(of version: String) -> [Int] {
    version.prefix(100).split(separator: ".").map { Int($0.prefix { $0.isNumber }) ?? 0 }
  }
}
