// Builds k9s for tests, once per version, into the user's cache. Run as `npm run k9s`. It needs Go, and downloads modules
// the first time.
import { buildGoModule, GoBuildError } from '../go-modules/build-go-module.ts';
import { k9sModule } from './k9s.ts';

try {
  const dir = await buildGoModule(k9sModule, line => console.log(line));
  console.log(`k9s is ready: ${dir}`);
} catch (error) {
  console.error(error instanceof GoBuildError ? error.message : error);
  process.exitCode = 1;
}
