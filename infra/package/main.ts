// `npm run package`: builds the package into dist/package. `npm pack` runs this first.
import { buildPackage } from './build-package.ts';

await buildPackage();
