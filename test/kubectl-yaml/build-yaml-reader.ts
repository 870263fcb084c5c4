// Builds the YAML reader of kubectl, once per version, into the user's cache. Run as `npm run kubectl-yaml`. See README.md
// in this folder.
import { buildGoModule, GoBuildError } from '../go-modules/build-go-module.ts';
import { yamlReaderModule } from './yaml-reader.ts';

try {
  const dir = await buildGoModule(yamlReaderModule, line => console.log(line));
  console.log(`The YAML reader of kubectl is ready: ${dir}`);
} catch (error) {
  console.error(error instanceof GoBuildError ? error.message : error);
  process.exitCode = 1;
}
