// Runs the embedded API server as its own process. Most of a start is stripping types and compiling, so the compile cache keeps
// the result of the first start. If its folder cannot be written, only that time is lost.
import { enableCompileCache } from 'node:module';
import path from 'node:path';

enableCompileCache(path.resolve(import.meta.dirname, '../../node_modules/.cache/capi-serverless/compiled'));

await import('./serve.ts');
