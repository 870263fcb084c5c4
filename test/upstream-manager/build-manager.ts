// Builds upstream's core manager for tests and benches, once per version, into the user's cache. Run as
// `npm run upstream-manager`. It needs Go, and downloads modules the first time.
import { prepareUpstream } from './manager.ts';

const prepared = await prepareUpstream(line => console.log(line));
if ('missing' in prepared) {
  console.error(prepared.missing);
  process.exitCode = 1;
} else {
  console.log(`The upstream manager is ready: ${prepared.program}`);
}
