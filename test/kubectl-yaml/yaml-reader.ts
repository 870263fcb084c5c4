// The sources and the location of the program that reads YAML as kubectl does.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { builtDir, type GoModule } from '../go-modules/go-module.ts';

const program = 'kubectl-yaml';

export const yamlReaderModule: GoModule = {
  name: program,
  title: 'YAML reader of kubectl',
  dir: import.meta.dirname,
  programs: { [program]: '.' },
  buildFlags: ['-trimpath', '-ldflags', '-s -w'],
  sources: ['main.go'],
  firstBuild: 'less than a minute',
};

/** Returns the path of the program. `missing` is the reason in one line why there is none. */
export function findYamlReader(): { readonly program: string } | { readonly missing: string } {
  const dir = builtDir(yamlReaderModule);
  return existsSync(dir)
    ? { program: path.join(dir, program) }
    : { missing: 'the YAML reader of kubectl is not built; run "npm run kubectl-yaml" once' };
}
