// The location of upstream's clusterctl, from the Go module that go.mod pins.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { builtDir, type GoModule } from '../go-modules/go-module.ts';

const program = 'clusterctl';

export const clusterctlModule: GoModule = {
  name: program,
  title: program,
  dir: import.meta.dirname,
  programs: { [program]: 'sigs.k8s.io/cluster-api/cmd/clusterctl' },
  buildFlags: ['-p=2', '-trimpath', '-ldflags', '-s -w'],
  sources: [],
  firstBuild: '2 to 5 minutes',
};

/** Returns the path of the program. `missing` is the reason in one line why there is none. */
export function findClusterctl(): { readonly program: string } | { readonly missing: string } {
  const dir = builtDir(clusterctlModule);
  return existsSync(dir)
    ? { program: path.join(dir, program) }
    : { missing: 'clusterctl is not built; run "npm run clusterctl" once' };
}
