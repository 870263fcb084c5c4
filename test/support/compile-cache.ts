// Node's compile cache, for the programs that tests start. Without it, removing types and compiling takes half of the
// CPU time of a short program. Its entries are found by content, so a changed source is compiled again.
import path from 'node:path';

export const compileCache = {
  NODE_COMPILE_CACHE: path.join(import.meta.dirname, '../../node_modules/.cache/compiled'),
} as const;
