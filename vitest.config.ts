import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { coveredModules } from './test/mutation/pure-modules.ts';
import { restingFiles, restingInFullRuns, restingInQuickRuns } from './test/steps/rotating-files.ts';
import { coveringTests, uncoveredTests } from './test/steps/unit-files.ts';
import { compileCache as env } from './test/support/compile-cache.ts';
import { extent, isFull } from './test/support/extent.ts';

/** The folder in which CI collects results. Absent outside CI. */
const results = process.env['CAPI_TEST_RESULTS'] || undefined;
const name = process.env['CAPI_TEST_SUITE'] ?? 'test';
const failures = './test/steps/failure-reporter.ts';

const all = { 100: true } as const;

/** The number of files at the same time. On a machine with two cores, the default of the runner is one. */
const maxWorkers = Math.max(2, availableParallelism() - 1);

/** A file that is run alone is never left out, because only commands of whole suites set an extent. */
const restingOfExtent = isFull ? restingInFullRuns : extent === 'quick' ? restingInQuickRuns : [];

/** The timeout prevents hanging tests only. A test that waits on a loaded machine is slow, but not wrong. */
const timeouts = { testTimeout: 600_000, hookTimeout: 600_000 };

/** Records the processor time of each file. */
const account = 'test/times/account.ts';

/** Gives each file its own folder for the state of local runs. */
const runFolder = 'test/setup/run-folder.ts';

/** Suites that need a program that npm does not install. */
const realParts = 'test/ports/**/{real,*.real}.test.ts';

/** Suites of the parity corpus on a real API server. */
const realParity = ['test/parity/real.test.ts', 'test/parity/real-adoption.test.ts'];

/**
 * The embedded API server requires its rule engine on first use. Node would load a second copy of these modules, in
 * addition to those that Vitest transforms. Their classes would differ, and coverage would mix the positions of both
 * copies.
 */
const importedRuleEngine = {
  name: 'imported-rule-engine',
  enforce: 'pre' as const,
  load(id: string) {
    return id.endsWith('/packages/apiserver/core/schema/rule-engine.ts')
      ? `import * as rules from '@capi-serverless/cel';
         import * as patterns from '@capi-serverless/apimachinery/pattern';
         export const ruleEngine = () => rules;
         export const patternEngine = () => patterns;`
      : undefined;
  },
};
const plugins = [importedRuleEngine];

const toJson = (folder: string): ['json', { outputFile: string }] => [
  'json',
  { outputFile: path.join(folder, `${name}.json`) },
];

const unitTests = (project: string, include: readonly string[]) => ({
  plugins,
  test: {
    name: project,
    env,
    include: [...include],
    exclude: [...restingOfExtent],
    // Files use the same processes and modules, so a test must leave no state.
    isolate: false,
    setupFiles: [account, 'test/setup/schema-messages.ts'],
    maxWorkers,
    ...timeouts,
  },
});

export default defineConfig({
  test: {
    reporters: [
      'default',
      failures,
      ...(results === undefined ? [] : [toJson(results)]),
      './test/times/reporter.ts', // if CAPI_TEST_TIMES is set
    ],
    coverage: {
      provider: 'v8',
      // CI prints the files that are not complete, with their lines.
      reporter: results === undefined ? ['text-summary', 'html'] : [['text', { skipFull: true }]],
      // A flaky test must not hide a coverage below its threshold.
      reportOnFailure: true,
      include: coveredModules,
      thresholds: Object.fromEntries(coveredModules.map(glob => [glob, all])),
    },
    projects: [
      unitTests('unit', coveringTests),
      unitTests('unit-uncovered', uncoveredTests),
      {
        plugins,
        test: {
          name: 'ports',
          env,
          setupFiles: [account],
          include: ['test/ports/**/*.test.ts'],
          exclude: [realParts],
          isolate: false,
          maxWorkers,
          ...timeouts,
        },
      },
      {
        plugins,
        test: { name: 'real', env, setupFiles: [account], include: [realParts], maxWorkers, ...timeouts },
      },
      {
        plugins,
        test: {
          name: 'infra',
          env,
          setupFiles: [account],
          include: ['test/infra/**/*.test.ts'],
          exclude: [...restingOfExtent],
          isolate: false,
          maxWorkers,
          ...timeouts,
        },
      },
      {
        plugins,
        test: {
          name: 'packaging',
          env,
          setupFiles: [account],
          include: ['test/packaging/**/*.test.ts'],
          exclude: [...restingFiles],
          isolate: false,
          ...timeouts,
          fileParallelism: false,
        },
      },
      {
        plugins,
        test: {
          name: 'local-run',
          env,
          globalSetup: ['test/setup/bundled.ts'],
          setupFiles: [account, runFolder],
          include: ['test/local-run/**/*.test.ts'],
          exclude: [...restingOfExtent],
          maxWorkers,
          ...timeouts,
        },
      },
      {
        plugins,
        test: {
          name: 'simulation',
          setupFiles: [account],
          include: ['test/simulation/**/*.test.ts'],
          exclude: [...restingOfExtent],
          ...timeouts,
          testTimeout: 1_800_000,
          fileParallelism: false,
        },
      },
      {
        plugins,
        test: {
          name: 'integration',
          env,
          setupFiles: [account, runFolder],
          include: ['test/integration/**/*.test.ts'],
          exclude: ['test/integration/kill/**', ...restingFiles],
          ...timeouts,
          // The files mostly wait.
          maxWorkers,
        },
      },
      {
        plugins,
        test: {
          name: 'virtual',
          setupFiles: [account],
          include: ['test/parity/**/*.test.ts', 'test/virtual/**/*.test.ts'],
          exclude: [...realParity, ...restingOfExtent],
          ...timeouts,
        },
      },
      {
        plugins,
        test: {
          name: 'parity',
          setupFiles: [account],
          include: realParity,
          ...timeouts,
          fileParallelism: false,
        },
      },
      {
        plugins,
        test: {
          name: 'take-over',
          env,
          setupFiles: [account, runFolder],
          include: ['test/take-over/**/*.test.ts'],
          fileParallelism: false,
          ...timeouts,
        },
      },
      {
        plugins,
        test: {
          name: 'providers',
          env,
          setupFiles: [account, runFolder],
          include: ['test/providers/**/*.test.ts'],
          fileParallelism: false,
          ...timeouts,
        },
      },
      {
        plugins,
        test: {
          name: 'kill',
          setupFiles: [account],
          include: ['test/integration/kill/**/*.test.ts'],
          exclude: [...restingFiles],
          ...timeouts,
          testTimeout: 1_800_000,
        },
      },
    ],
  },
});
