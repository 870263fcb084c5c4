// The YAML library. It is loaded synchronously on the first YAML request, because few requests use it.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export function yaml(): typeof import('yaml') {
  // True: the package's types describe its CommonJS export.
  return require('yaml') as typeof import('yaml');
}
