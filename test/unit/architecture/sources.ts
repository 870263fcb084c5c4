// The TypeScript sources of the project, tests included.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './import-graph.ts';

export interface SourceText {
  /** The path relative to the project. */
  readonly file: string;
  readonly source: string;
}

export function readSources(): readonly SourceText[] {
  return globSync('**/*.ts', {
    cwd: root,
    exclude: file => ['node_modules', 'dist', '.git'].includes(path.basename(file)),
  }).map(file => ({ file, source: readFileSync(path.join(root, file), 'utf8') }));
}
