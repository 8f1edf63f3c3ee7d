/// The key for why a network could not be used, in the `userInfo` of a `URLError.notConnectedToInternet` of Apple's systems. No error here
/// has it: nothing on Linux tells which networks are cellular, expensive or constrained, so that no load is refused for it.
public let NSURLErrorNetworkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"
