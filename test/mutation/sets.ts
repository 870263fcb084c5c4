// The sets of mutated sources. Each set is a mutation.json in the folder of its tests. A reconciler without
// mutation.json has the default set.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod/mini';
import { pureParts } from './pure-modules.ts';

export interface MutationSet {
  readonly source: readonly string[];
  readonly tests: string;
  /** Tests that are too slow to run for each mutant. */
  readonly without: readonly string[];
  /** The lowest score in percent. */
  readonly lowestScore: number;
  /** The share of its mutants that is tested after a change of the set. 1 means all. */
  readonly shareOfChanged: number;
  /** The path of the mutation.json. Undefined for the default set of a reconciler. */
  readonly definition: string | undefined;
}

/** Globs are relative to the project. */
const writtenSchema = z.strictObject({
  source: z.optional(z.array(z.string())),
  tests: z.optional(z.string()),
  without: z.optional(z.array(z.string())),
  lowestScore: z.optional(z.number()),
  shareOfChanged: z.optional(z.number()),
});
const fileSchema = z.record(z.string(), writtenSchema);

const testsFolder = 'test/unit';
const usualLowestScore = 90;

/**
 * Returns the sets by name. Reads all sets below `root`. Throws if two files define the same set, or if a file is
 * invalid.
 */
export function readMutationSets(root: string, reconcilers: readonly string[]): Readonly<Record<string, MutationSet>> {
  const files = globSync(`${testsFolder}/**/mutation.json`, { cwd: root }).toSorted();
  const written = files.flatMap(file => {
    const sets = fileSchema.parse(JSON.parse(readFileSync(path.join(root, file), 'utf8')));
    const folder = path.posix.dirname(file);
    return Object.entries(sets).map(([name, set]) => ({ name, set: complete(folder, set, file) }));
  });
  const usual = reconcilers
    .map(name => ({ name, folder: `${testsFolder}/functions/${name}` }))
    .filter(({ folder }) => !files.some(file => file.startsWith(`${folder}/`)))
    .map(({ name, folder }) => ({ name, set: complete(folder, {}) }))
    .filter(({ set }) => globSync([...set.source], { cwd: root }).length > 0);
  const sets = [...written, ...usual];
  const names = sets.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new Error(`Two files define the mutation set ${twice}`);
  }
  return Object.fromEntries(sets.map(({ name, set }) => [name, set]));
}

function complete(folder: string, written: z.infer<typeof writtenSchema>, definition?: string): MutationSet {
  return {
    source: written.source ?? usualSource(path.posix.relative(testsFolder, folder)),
    tests: written.tests ?? `${folder}/**/*.test.ts`,
    without: written.without ?? [],
    lowestScore: written.lowestScore ?? usualLowestScore,
    shareOfChanged: written.shareOfChanged ?? 1,
    definition,
  };
}

/** Returns the pure part of a reconciler, or all files of any other folder. */
function usualSource(folder: string): readonly string[] {
  return /^functions\/[^/]+$/.test(folder) ? pureParts.map(part => `${folder}/${part}`) : [`${folder}/**/*.ts`];
}
