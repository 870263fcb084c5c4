// Builds upstream's clusterctl for tests, once per version, into the user's cache. Run as `npm run clusterctl`. It needs
// Go, and downloads modules the first time.
import { buildGoModule, GoBuildError } from '../go-modules/build-go-module.ts';
import { clusterctlModule } from './clusterctl.ts';

try {
  const dir = await buildGoModule(clusterctlModule, line => console.log(line));
  console.log(`clusterctl is ready: ${dir}`);
} catch (error) {
  console.error(error instanceof GoBuildError ? error.message : error);
  process.exitCode = 1;
}
