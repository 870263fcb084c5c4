// The location of AWS's runtime interface client after its build.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testCacheDir } from '../support/test-cache.ts';

/** The packages to install. They have exact versions with digests, separate from those of the project. */
export const manifestFiles = ['package.json', 'package-lock.json'] as const;
export const manifestDir = import.meta.dirname;

/** The native part is built for one system and processor. */
const target = `${process.platform}-${process.arch}`;

/** The folder that `npm run lambda-ric` fills. If it exists, it is complete. */
export function lambdaRicDir(env?: Readonly<Record<string, string | undefined>>): string {
  const hash = createHash('sha256').update(target);
  for (const file of manifestFiles) {
    hash.update(readFileSync(join(manifestDir, file)));
  }
  return join(testCacheDir(env), `lambda-ric-${hash.digest('hex').slice(0, 16)}`);
}

/**
 * Returns the module that Node starts in a function's process. `missing` is the reason in one line why there is none.
 */
export function findLambdaRic(): { readonly program: string } | { readonly missing: string } {
  const dir = lambdaRicDir();
  return existsSync(dir)
    ? { program: join(dir, 'node_modules/aws-lambda-ric/index.mjs') }
    : { missing: 'the Lambda runtime interface client is not built; run "npm run lambda-ric" once' };
}
