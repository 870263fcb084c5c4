// The embedded API server as a process of its own. Most of a start is stripping types and compiling, so the outcome of the
// first start is kept for the next ones; a folder that cannot be written to costs that time and nothing else.
import { enableCompileCache } from 'node:module';
import path from 'node:path';

enableCompileCache(path.resolve(import.meta.dirname, '../../../node_modules/.cache/capi-serverless/compiled'));

await import('./serve.ts');
