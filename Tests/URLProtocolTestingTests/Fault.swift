/// What a `MutantProtocol` does wrong.
enum Fault: String, CaseIterable, Sendable {
  /// Nothing.
  case none
  // The head.
  case takesOnlyEverySecond, wrongLength, wrongURL, emptyMIMEType, rangeInWhole, headHasBody
  // The body.
  case lastByteMissing, oneByteTooMany, swapsPieces, loadsOnlyOnce, mixesInstances
  // The order of events.
  case secondResponse, dataBeforeResponse, dataAfterFinish, finishesTwice, failsAfterFinish, neverFinishes
  // Stopping and holding back.
  case sendsAfterStop, stays, hangsInStart, hangsInStop, ignoresPause, onePiece, losesPieceWhenPaused
  // Ranges and validators.
  case ignoresRange, rangeOffByOne, wrongContentRange, lengthOfWhole, wholeForOutside, failsForMalformed
  case ignoresIfRange, hidesRanges, newValidatorsEachTime, sameValidatorsForever, partWithoutValidators
  // Errors.
  case missingIsEmpty, missingHasOtherCode, missingHasNoURL, missingQuotesQuery
  // Uploads.
  case uploadLosesByte, uploadAppends, uploadIsSilent, uploadFailsForStreams, storesByGet
}
