#!/usr/bin/env node
// kubectl runs this executable, as kubectl_complete-capi_serverless, for `kubectl capi-serverless … <TAB>`. The arguments are the
// words after the plugin's name; the last one may be incomplete.
process.argv.splice(2, 0, '__complete');
await import('./bin.js');
