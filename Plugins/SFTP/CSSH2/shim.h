#pragma once

#include <libssh2.h>
#include <libssh2_publickey.h>
