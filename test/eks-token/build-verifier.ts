// Builds the verifier of EKS tokens, once per version, into the user's cache. Run as `npm run eks-token`. See README.md in
// this folder.
import { buildGoModule, GoBuildError } from '../go-modules/build-go-module.ts';
import { eksTokenModule } from './token-verifier.ts';

try {
  const dir = await buildGoModule(eksTokenModule, line => console.log(line));
  console.log(`The verifier of EKS tokens is ready: ${dir}`);
} catch (error) {
  console.error(error instanceof GoBuildError ? error.message : error);
  process.exitCode = 1;
}
