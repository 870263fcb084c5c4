// Builds upstream's core manager, and its webhooks as a program of their own, for tests and benches, once per version,
// into the user's cache. Run as `npm run upstream-manager`. It needs Go, and downloads modules the first time.
import { buildGoModule } from '../go-modules/build-go-module.ts';
import { prepareUpstream } from './manager.ts';
import { upstreamWebhooks } from './webhooks.ts';

const say = (line: string): void => console.log(line);
const prepared = await prepareUpstream(say);
if ('missing' in prepared) {
  console.error(prepared.missing);
  process.exitCode = 1;
} else {
  await buildGoModule(upstreamWebhooks, say);
  console.log(`The upstream manager is ready: ${prepared.program}`);
}
