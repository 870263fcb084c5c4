// The YAML library, loaded on the first YAML request: few requests use it. Loading is synchronous, as responses are.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export function yaml(): typeof import('yaml') {
  // True: the package's types describe its CommonJS export.
  return require('yaml') as typeof import('yaml');
}
