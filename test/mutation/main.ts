// `npm run test:mutation -- [--since COMMIT] [--seed N] [--seconds N] [--all] [set…]`: changes the pure modules line by
// line, and fails if their unit tests detect too few of the changes. Sets that changed since the commit are tested
// completely, the others by a sample.
import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { LogLevel, MutantResult, PartialStrykerOptions } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { declarations } from '../../functions/declarations.ts';
import { commitSeed } from '../support/commit-seed.ts';
import { changedFiles, findBase, type Git, hasChanged } from './changes.ts';
import { fewestNoticed } from './judgement.ts';
import { type MutationStep, planSteps } from './mutation-steps.ts';
import { isInSample, type Sample } from './sample.ts';
import { type MutationSet, readMutationSets } from './sets.ts';

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    since: { type: 'string' },
    seed: { type: 'string' },
    /** After this time no further sample begins. Changed sets are always tested. */
    seconds: { type: 'string', default: '300' },
    all: { type: 'boolean', default: false },
  },
});

const git: Git = (...args) => {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
};

const seed = Number(options.seed ?? commitSeed());
if (!Number.isSafeInteger(seed) || seed < 0 || !(Number(options.seconds) >= 0)) {
  throw new RangeError('--seed and --seconds are whole numbers');
}

function optionsOf(name: string, set: MutationSet, sample: Sample): PartialStrykerOptions {
  return {
    plugins: [new URL('./runner.ts', import.meta.url).href],
    testRunner: 'set',
    setTests: globSync(set.tests, { exclude: set.without }),
    setSample: sample,
    mutate: [...set.source],
    ignorePatterns: ['bench', 'docs', 'examples', 'test/{integration,parity}', 'cdk.out', 'coverage', 'dist'],
    coverageAnalysis: 'perTest',
    reporters: ['json'],
    jsonReporter: { fileName: `dist/mutation-${name}.json` },
    // The option would write a tsconfig, with an API that TypeScript 7 does not have. This tsconfig is not used.
    tsconfigFile: 'none',
    tempDirName: 'dist/mutation',
    // A step limit ends endless loops, and an idle check ends idle tests, also on a busy machine. This limit is for all
    // other cases.
    timeoutMS: 15_000,
    timeoutFactor: 4,
    dryRunTimeoutMinutes: 15,
    // Modules that are loaded again for a mutant stay in memory until their process ends.
    maxTestRunnerReuse: 200,
    concurrency: Number(process.env['CAPI_MUTATION_CONCURRENCY'] ?? '2'),
    logLevel: 'error' as LogLevel.Error, // true: this is its value; the enum itself is only declared
    allowEmpty: false,
  };
}

const noticed = (mutant: MutantResult): boolean => mutant.status === 'Killed' || mutant.status === 'Timeout';
const valid = (mutant: MutantResult): boolean =>
  noticed(mutant) || mutant.status === 'Survived' || mutant.status === 'NoCoverage';

function describeSurvivor(mutant: MutantResult): string {
  const { start } = mutant.location;
  const place = `${path.relative(process.cwd(), mutant.fileName)}:${start.line}:${start.column}`;
  const replacement = (mutant.replacement ?? '').replaceAll(/\s+/g, ' ').slice(0, 100);
  return `  ${place} ${mutant.status} ${mutant.mutatorName} ⇒ ${replacement}`;
}

interface Judgement {
  readonly score: number;
  /** Returns the minimum number of detected mutants, in percent of the tested mutants. */
  readonly least: number;
}

/** Prints the mutants that the tests of a set do not detect. */
async function judge({ name, set, share }: MutationStep): Promise<Judgement> {
  const started = performance.now();
  const sample = { share, of: `${seed}/${name}` };
  const results = await new Stryker(optionsOf(name, set, sample)).runMutationTest();
  const mutants = results.filter(mutant => valid(mutant) && isInSample(mutant.id, sample));
  const killed = mutants.filter(noticed);
  for (const survivor of mutants.filter(mutant => !noticed(mutant))) {
    console.log(describeSurvivor(survivor));
  }
  const toScore = (count: number): number => (100 * count) / mutants.length;
  const score = toScore(killed.length);
  const least = toScore(fewestNoticed(mutants.length, set.lowestScore, share === 1));
  const seconds = Math.round((performance.now() - started) / 1000);
  const extent = share === 1 ? 'all' : `a sample of ${results.length}`;
  console.log(
    `${name}: ${score.toFixed(1)} % (${killed.length} of ${mutants.length} mutants noticed, ${extent}; at least ${least.toFixed(1)} %; ${seconds} s)`,
  );
  return { score, least };
}

function isChangedSince(): (set: MutationSet) => boolean {
  const base = findBase(git, { since: options.since, configured: process.env['CAPI_BASE'] });
  if (base === undefined) {
    console.log(`The base commit is unknown (a shallow clone?): every set is tested by a sample; --seed ${seed}`);
    return () => false;
  }
  const files = changedFiles(git, base);
  console.log(
    `${files.length} files changed since ${base.commit.slice(0, 10)} (${base.from}). Replay: npm run test:mutation -- --since ${base.commit} --seed ${seed}`,
  );
  return set => hasChanged(set, files);
}

async function main(): Promise<void> {
  const sets = readMutationSets(
    process.cwd(),
    declarations.map(({ name }) => name),
  );
  const unknown = wanted.filter(name => sets[name] === undefined);
  if (unknown.length > 0) {
    throw new RangeError(`No such set: ${unknown.join(', ')}; there are ${Object.keys(sets).join(', ')}`);
  }
  const steps = planSteps(sets, {
    everything: options.all,
    wanted,
    seed,
    bytesOf: ({ source }) => globSync([...source]).reduce((sum, file) => sum + statSync(file).size, 0),
    isChanged: options.all || wanted.length > 0 ? () => true : isChangedSince(),
  });
  const failed: string[] = [];
  const skipped: string[] = [];
  for (const step of steps) {
    const { name } = step;
    if (step.optional && performance.now() > Number(options.seconds) * 1000) {
      skipped.push(name);
      continue;
    }
    try {
      const { score, least } = await judge(step);
      if (!(score >= least)) {
        failed.push(`${name} (${score.toFixed(1)} % of at least ${least.toFixed(1)} %)`);
      }
    } catch (error) {
      // The other sets are still tested.
      console.log(`${name}: ${String(error)}`);
      failed.push(`${name} (broken)`);
    }
  }
  if (skipped.length > 0) {
    console.log(`No time for samples of: ${skipped.join(', ')}`);
  }
  if (failed.length > 0) {
    console.log(`Too low: ${failed.join(', ')}`);
    process.exitCode = 1;
  }
}

await main();
