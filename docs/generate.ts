// Writes all that is generated: manifests, sources, and figures in pages. With --check, it changes no file and fails if
// files differ.
import path from 'node:path';
import { generatedSources } from '../infra/generated-sources.ts';
import { runGenerate } from '../infra/kubernetes/generate.ts';
import { outputs } from '../infra/kubernetes/outputs.ts';
import { generatedPages } from './figures.ts';

const root = path.dirname(import.meta.dirname);
const print = (line: string): boolean => process.stderr.write(`${line}\n`);
const targets = [
  { folder: path.join(root, 'infra/kubernetes'), outputs },
  { folder: root, outputs: [...generatedSources, ...generatedPages(root)] },
];
process.exitCode = Math.max(...targets.map(target => runGenerate(process.argv.slice(2), { ...target, print })));
