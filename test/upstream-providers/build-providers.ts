// Builds upstream's providers for kubeadm and for development, once per version, into the user's cache. Run as
// `npm run providers`. It needs Go, and downloads modules the first time.
import { buildGoModule, GoBuildError } from '../go-modules/build-go-module.ts';
import { providersModule } from './providers.ts';

try {
  const dir = await buildGoModule(providersModule, line => console.log(line));
  console.log(`The providers of upstream are ready: ${dir}`);
} catch (error) {
  console.error(error instanceof GoBuildError ? error.message : error);
  process.exitCode = 1;
}
