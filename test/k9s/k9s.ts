// The location of k9s, from the Go module that go.mod pins.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { builtDir, type GoModule } from '../go-modules/go-module.ts';

const program = 'k9s';

export const k9sModule: GoModule = {
  name: program,
  title: program,
  dir: import.meta.dirname,
  programs: { [program]: 'github.com/derailed/k9s' },
  buildFlags: ['-p=2', '-trimpath', '-ldflags', '-s -w'],
  sources: [],
  firstBuild: '5 to 15 minutes',
};

/** Returns the path of the program. `missing` is the reason in one line why there is none. */
export function findK9s(): { readonly program: string } | { readonly missing: string } {
  const dir = builtDir(k9sModule);
  return existsSync(dir)
    ? { program: path.join(dir, program) }
    : { missing: 'k9s is not built; run "npm run k9s" once' };
}
