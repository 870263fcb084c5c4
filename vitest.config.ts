import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';

/** Where CI collects results; absent elsewhere. */
const results = process.env['CAPI_TEST_RESULTS'];
const name = process.env['CAPI_TEST_SUITE'] ?? 'test';

const all = { 100: true } as const;

/** Of unit tests; the runner's own choice is one where there are two cores. The other suites start servers of their own, a file at a time. */
const maxWorkers = Math.max(2, availableParallelism() - 1);

export default defineConfig({
  test: {
    reporters:
      results === undefined ? ['default'] : ['default', ['json', { outputFile: path.join(results, `${name}.json`) }]],
    coverage: {
      provider: 'v8',
      reporter: ['text-summary', 'html'],
      include: [
        'shared/kernel/**/*.ts',
        'shared/{admission,conditions,contract,names,variables}/**/*.ts',
        'shared/runtime-hooks/rules/**/*.ts',
        'shared/{template-cleanup,topology}/**/*.ts',
        'functions/*/{decide,report}.ts',
        'functions/*/{phases,conditions}/**/*.ts',
      ],
      thresholds: {
        'shared/kernel/**/*.ts': all,
        'functions/*/{decide,report}.ts': all,
        'functions/*/{phases,conditions}/**/*.ts': all,
        'shared/{admission,conditions,contract,names,variables}/**/*.ts': all,
        'shared/runtime-hooks/rules/**/*.ts': all,
        'shared/{template-cleanup,topology}/**/*.ts': all,
      },
    },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers,
        },
      },
      {
        test: {
          name: 'ports',
          include: ['test/ports/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      { test: { name: 'infra', include: ['test/infra/**/*.test.ts'], testTimeout: 60_000, fileParallelism: false } },
      {
        test: {
          name: 'simulation',
          include: ['test/simulation/**/*.test.ts'],
          testTimeout: 1_800_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          exclude: ['test/integration/kill/**'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'parity',
          include: ['test/parity/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 1_200_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'kill',
          include: ['test/integration/kill/**/*.test.ts'],
          testTimeout: 1_800_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
