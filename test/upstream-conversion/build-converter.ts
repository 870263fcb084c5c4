// Builds the conversion of Cluster API, once per version, into the user's cache. Run as `npm run upstream-conversion`. See
// README.md in this folder.
import { buildGoModule, GoBuildError } from '../go-modules/build-go-module.ts';
import { converterModule } from './converter.ts';

try {
  const dir = await buildGoModule(converterModule, line => console.log(line));
  console.log(`The conversion of Cluster API is ready: ${dir}`);
} catch (error) {
  console.error(error instanceof GoBuildError ? error.message : error);
  process.exitCode = 1;
}
