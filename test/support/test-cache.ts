// The cache folder of tests, outside the checkout.
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns `$CAPI_TEST_CACHE`, else a folder of this project below `$XDG_CACHE_HOME`, else below `~/.cache`. */
export function testCacheDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(env['CAPI_TEST_CACHE'] || env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'capi-serverless');
}
