// `npm run test:mutation -- [room…]`: breaks the pure rooms line by line and fails when their unit tests notice less than 90 % of it.
import { globSync } from 'node:fs';
import path from 'node:path';
import type { LogLevel, MutantResult, PartialStrykerOptions } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';

interface Room {
  readonly source: readonly string[];
  readonly tests: string;
  /** Tests that are too slow to run for each mutant. */
  readonly without?: readonly string[];
}

const rooms: Readonly<Record<string, Room>> = {
  conditions: { source: ['shared/conditions/**/*.ts'], tests: 'test/unit/shared/conditions/**/*.test.ts' },
  contract: { source: ['shared/contract/**/*.ts'], tests: 'test/unit/shared/contract/**/*.test.ts' },
  kernel: { source: ['shared/kernel/**/*.ts'], tests: 'test/unit/shared/kernel/**/*.test.ts' },
  'runtime-hooks': {
    source: ['shared/runtime-hooks/*.ts', 'shared/runtime-hooks/rules/*.ts'],
    tests: 'test/unit/shared/runtime-hooks/{*,rules/*}.test.ts',
    without: ['test/unit/shared/runtime-hooks/{hostile,completeness}.test.ts'],
  },
  cluster: {
    source: ['functions/cluster/{decide,report}.ts', 'functions/cluster/{phases,conditions}/**/*.ts'],
    tests: 'test/unit/functions/cluster/**/*.test.ts',
    without: ['test/unit/functions/cluster/{deletion-guards,lifecycle}.test.ts'],
  },
  clusterclass: {
    source: ['functions/clusterclass/{decide,report}.ts', 'functions/clusterclass/{phases,conditions}/**/*.ts'],
    tests: 'test/unit/functions/clusterclass/**/*.test.ts',
    without: ['test/unit/functions/clusterclass/{broad,hostile,scenarios}.test.ts'],
  },
  'template-cleanup': {
    source: [
      'shared/template-cleanup/{decide,observe,references,report,seen}.ts',
      'functions/machine*-topology/companion.ts',
    ],
    tests:
      'test/unit/{shared/template-cleanup,functions/machinedeployment-topology,functions/machineset-topology}/*.test.ts',
  },
  'topology-desired': {
    source: ['shared/topology/{desired,names}/*.ts'],
    tests: 'test/unit/shared/topology/{desired,names}/*.test.ts',
    without: ['test/unit/shared/topology/desired/recorded.test.ts'],
  },
  extensionconfig: {
    source: ['functions/extensionconfig/{decide,report}.ts', 'functions/extensionconfig/{phases,conditions}/**/*.ts'],
    tests: 'test/unit/functions/extensionconfig/**/*.test.ts',
    without: ['test/unit/functions/extensionconfig/hostile.test.ts'],
  },
};

const lowestScore = 90;

function optionsOf(name: string, room: Room): PartialStrykerOptions {
  return {
    plugins: [new URL('./runner.ts', import.meta.url).href],
    testRunner: 'room',
    roomTests: globSync(room.tests, { exclude: room.without ?? [] }),
    mutate: [...room.source],
    ignorePatterns: ['bench', 'docs', 'examples', 'test/{fixtures,integration,parity}', 'cdk.out', 'coverage', 'dist'],
    coverageAnalysis: 'perTest',
    reporters: ['json'],
    jsonReporter: { fileName: `dist/mutation-${name}.json` },
    // Rewriting a tsconfig needs an API that TypeScript 7 does not have; nothing here reads one.
    tsconfigFile: 'none',
    tempDirName: 'dist/mutation',
    // Endless loops end by their count of steps and idle tests by their idleness, whatever the machine is busy with; this is for the rest.
    timeoutMS: 15_000,
    timeoutFactor: 4,
    dryRunTimeoutMinutes: 15,
    // Modules that were loaded afresh for a mutant stay in memory until their process ends.
    maxTestRunnerReuse: 200,
    concurrency: Number(process.env['CAPI_MUTATION_CONCURRENCY'] ?? '2'),
    logLevel: 'error' as LogLevel.Error, // its value; the enum itself is only declared
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

/** Prints what a room's tests let pass and returns the room's score in per cent. */
async function judge(name: string, room: Room): Promise<number> {
  const started = performance.now();
  const mutants = (await new Stryker(optionsOf(name, room)).runMutationTest()).filter(valid);
  const killed = mutants.filter(noticed);
  for (const survivor of mutants.filter(mutant => !noticed(mutant))) {
    console.log(describeSurvivor(survivor));
  }
  const score = (100 * killed.length) / mutants.length;
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${name}: ${score.toFixed(1)} % (${killed.length} of ${mutants.length} mutants noticed, ${seconds} s)`);
  return score;
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter(name => rooms[name] === undefined);
if (unknown.length > 0) {
  throw new Error(`No such room: ${unknown.join(', ')}; there are ${Object.keys(rooms).join(', ')}`);
}
const failed: string[] = [];
for (const [name, room] of Object.entries(rooms)) {
  if (wanted.length > 0 && !wanted.includes(name)) {
    continue;
  }
  try {
    const score = await judge(name, room);
    if (!(score >= lowestScore)) {
      failed.push(`${name} (${score.toFixed(1)} %)`);
    }
  } catch (error) {
    // The other rooms have their say all the same.
    console.log(`${name}: ${String(error)}`);
    failed.push(`${name} (broken)`);
  }
}
if (failed.length > 0) {
  console.log(`Below ${lowestScore} %: ${failed.join(', ')}`);
  process.exitCode = 1;
}
