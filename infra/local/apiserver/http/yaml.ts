// The YAML library, loaded with the first request that speaks YAML: few ever do, and requests are answered synchronously.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export function yaml(): typeof import('yaml') {
  // True: what the package offers to require is what its types describe.
  return require('yaml') as typeof import('yaml');
}
