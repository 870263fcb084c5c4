// The location of cfn-lint after its installation.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { testCacheDir } from '../support/test-cache.ts';

/** All packages with exact versions and digests. */
export const requirementsPath = path.join(import.meta.dirname, 'requirements.txt');

const program = path.join(import.meta.dirname, 'lint.py');

/** Wheels with native code are for one system and processor. */
const target = `${process.platform}-${process.arch}`;

/** The folder that `npm run cfn-lint` fills. If it exists, it is complete. */
export function cfnLintDir(env?: Readonly<Record<string, string | undefined>>): string {
  const hash = createHash('sha256').update(target).update(readFileSync(requirementsPath)).digest('hex').slice(0, 16);
  return path.join(testCacheDir(env), `cfn-lint-${hash}`);
}

interface CfnLint {
  /** The Python program that checks templates. */
  readonly program: string;
  /** Environment variables with which Python finds the packages. */
  readonly environment: Readonly<Record<string, string>>;
}

/** `missing` is the reason in one line why there is no cfn-lint. */
export function findCfnLint(): CfnLint | { readonly missing: string } {
  const dir = cfnLintDir();
  return existsSync(dir)
    ? { program, environment: { PYTHONPATH: dir, PYTHONDONTWRITEBYTECODE: '1' } }
    : { missing: 'cfn-lint is not installed; run "npm run cfn-lint" once' };
}
