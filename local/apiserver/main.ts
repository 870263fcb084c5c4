// Runs the embedded API server as a separate process. Type stripping and compilation take most of the start, so the
// compile cache keeps the result of the first start. If its folder cannot be written, only this time is lost.
import { enableCompileCache } from 'node:module';
import path from 'node:path';

enableCompileCache(path.resolve(import.meta.dirname, '../../node_modules/.cache/capi-serverless/compiled'));

await import('./serve.ts');
