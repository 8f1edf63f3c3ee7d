// The enumerations are in the header; a target needs a source.
#include "CEnumerations.h"
