// Stands in for libxml2 in urlload, which has libarchive linked into it: xar archives are one of the optional formats, which the command does
// not allow. Every function fails.
#include <stddef.h>

#define FAILING(type, result, name) \
  type name(void) { return result; }

// A reader that cannot be had, and its end.
FAILING(void *, NULL, xmlReaderForIO)
FAILING(void, , xmlTextReaderSetErrorHandler)
FAILING(void, , xmlFreeTextReader)
FAILING(void, , xmlCleanupParser)
FAILING(int, -1, xmlTextReaderRead)
FAILING(int, -1, xmlTextReaderNodeType)
FAILING(int, -1, xmlTextReaderIsEmptyElement)
FAILING(int, -1, xmlTextReaderMoveToFirstAttribute)
FAILING(int, -1, xmlTextReaderMoveToNextAttribute)
FAILING(const unsigned char *, NULL, xmlTextReaderConstLocalName)
FAILING(const unsigned char *, NULL, xmlTextReaderConstValue)
