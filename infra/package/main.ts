// `npm run package`: builds what the package exports into dist/package; `npm pack` does so first.
import { buildPackage } from './build.ts';

await buildPackage();
