// Builds kube-apiserver, kube-controller-manager and etcd for the tests, once per version, into the user's cache. Run
// as `npm run kube-apiserver`. See README.md in this folder.
import { buildGoModule, GoBuildError } from '../go-modules/build-go-module.ts';
import { controlPlaneModule } from './location.ts';

try {
  const dir = await buildGoModule(controlPlaneModule, line => console.log(line));
  console.log(`Control plane is ready: ${dir}`);
} catch (error) {
  console.error(error instanceof GoBuildError ? error.message : error);
  process.exitCode = 1;
}
