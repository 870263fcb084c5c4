// The sources and the location of the program that verifies tokens for EKS clusters.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { builtDir, type GoModule } from '../go-modules/go-module.ts';

const program = 'eks-token';

export const eksTokenModule: GoModule = {
  name: program,
  title: 'verifier of EKS tokens',
  dir: import.meta.dirname,
  programs: { [program]: '.' },
  buildFlags: ['-trimpath', '-ldflags', '-s -w'],
  sources: ['main.go'],
  firstBuild: '1 to 3 minutes',
};

/** Returns the path of the program. `missing` is the reason in one line why there is none. */
export function findEksTokenVerifier(): { readonly program: string } | { readonly missing: string } {
  const dir = builtDir(eksTokenModule);
  return existsSync(dir)
    ? { program: path.join(dir, program) }
    : { missing: 'the verifier of EKS tokens is not built; run "npm run eks-token" once' };
}
