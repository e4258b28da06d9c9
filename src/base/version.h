// The one place that says which version this is.
#pragma once

#define PRESENCE_VERSION "0.1.0-dev"
