import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { pureModules } from './test/mutation/pure-modules.ts';

/** Where CI collects results; absent elsewhere. */
const results = process.env['CAPI_TEST_RESULTS'];
const name = process.env['CAPI_TEST_SUITE'] ?? 'test';
const failures = './test/steps/failure-reporter.ts';
/** Where `npm run test:times` collects what each file costs. */
const times = process.env['CAPI_TEST_TIMES'] || undefined;

const all = { 100: true } as const;

/** Files at once: also on a machine of two cores, where the runner's own choice is one. */
const maxWorkers = Math.max(2, availableParallelism() - 1);

/** Against hanging tests only. A test that waits on a loaded machine is slow, not wrong. */
const timeouts = { testTimeout: 600_000, hookTimeout: 600_000 };

/** The programs that tests start keep what Node made of their modules: half of their processor time. */
const env = { NODE_COMPILE_CACHE: path.join(import.meta.dirname, 'node_modules/.cache/compiled') };

/** Records what each file costs, for `npm run test:times`. */
const account = 'test/times/account.ts';

/** What needs a program that npm does not install. */
const realParts = 'test/ports/**/{real,*.real}.test.ts';

/**
 * The embedded API server requires its rule engine when it first needs it. Node would load it beside what Vitest transforms,
 * with classes of its own, and coverage would mix up the positions of both.
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

export default defineConfig({
  test: {
    reporters: [
      'default',
      failures,
      ...(results === undefined ? [] : [toJson(results)]),
      ...(times === undefined ? [] : ['./test/times/reporter.ts']),
    ],
    coverage: {
      provider: 'v8',
      reporter: ['text-summary', 'html'],
      include: pureModules,
      thresholds: Object.fromEntries(pureModules.map(glob => [glob, all])),
    },
    projects: [
      {
        plugins,
        test: {
          name: 'unit',
          env,
          include: ['test/unit/**/*.test.ts'],
          // Files share processes and modules, so a test leaves no state behind.
          isolate: false,
          setupFiles: [account, 'test/setup/schema-messages.ts'],
          maxWorkers,
          ...timeouts,
        },
      },
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
          isolate: false,
          maxWorkers,
          ...timeouts,
        },
      },
      {
        plugins,
        test: {
          name: 'local-run',
          env,
          setupFiles: [account],
          include: ['test/local-run/**/*.test.ts'],
          // Each run writes the same files below dist.
          fileParallelism: false,
          ...timeouts,
        },
      },
      {
        plugins,
        test: {
          name: 'simulation',
          setupFiles: [account],
          include: ['test/simulation/**/*.test.ts'],
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
          setupFiles: [account],
          include: ['test/integration/**/*.test.ts'],
          exclude: ['test/integration/kill/**'],
          ...timeouts,
          fileParallelism: false,
        },
      },
      {
        plugins,
        test: {
          name: 'virtual',
          setupFiles: [account],
          include: ['test/parity/**/*.test.ts', 'test/virtual/**/*.test.ts'],
          exclude: ['test/parity/real.test.ts'],
          ...timeouts,
        },
      },
      {
        plugins,
        test: {
          name: 'parity',
          include: ['test/parity/real.test.ts'],
          ...timeouts,
          fileParallelism: false,
        },
      },
      {
        plugins,
        test: {
          name: 'kill',
          include: ['test/integration/kill/**/*.test.ts'],
          ...timeouts,
          testTimeout: 1_800_000,
        },
      },
    ],
  },
});
