// The sources and the location of the program that converts objects with upstream's code.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { builtDir, type GoModule } from '../go-modules/go-module.ts';

const program = 'upstream-conversion';

export const converterModule: GoModule = {
  name: program,
  title: 'conversion of Cluster API',
  dir: import.meta.dirname,
  programs: { [program]: '.' },
  buildFlags: ['-trimpath', '-ldflags', '-s -w'],
  sources: ['main.go', 'shapes.go'],
  firstBuild: '1 to 5 minutes',
};

/** Returns the path of the program. `missing` is the reason in one line why there is none. */
export function findConverter(): { readonly program: string } | { readonly missing: string } {
  const dir = builtDir(converterModule);
  return existsSync(dir)
    ? { program: path.join(dir, program) }
    : { missing: 'the conversion of Cluster API is not built; run "npm run upstream-conversion" once' };
}

interface ConversionRequest {
  /** The wanted version. */
  readonly to: string;
  readonly object: unknown;
}

export type ConversionAnswer = { readonly object: Readonly<Record<string, unknown>> } | { readonly error: string };

/** Converts objects with upstream's code, in order. */
export function convertUpstream(program: string, requests: readonly ConversionRequest[]): readonly ConversionAnswer[] {
  const { stdout, status, stderr } = spawnSync(program, {
    input: requests.map(request => `${JSON.stringify(request)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) {
    throw new Error(`${program} ended with ${status}: ${stderr}`);
  }
  const lines = stdout.trimEnd().split('\n');
  // True: the program prints such lines.
  return requests.map((_, at) => JSON.parse(lines[at] ?? 'null') as ConversionAnswer);
}

/** The shapes of all types: lists of names and types, by the name of the struct. */
export function upstreamShapes(program: string): Readonly<Record<string, readonly (readonly [string, string])[]>> {
  const { stdout } = spawnSync(program, ['shapes'], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return JSON.parse(stdout);
}
