// Unused files, exports and dependencies. `knip --production` leaves tests out of account: it finds code that only tests use.
import type { KnipConfig } from 'knip';

const isProduction = process.argv.includes('--production');

/** Programs of npm scripts, which knip finds by itself, but leaves out with `--production`. */
const startedByScripts = isProduction
  ? ['bench/main.ts!', 'examples/extension/main.ts!', 'infra/kubernetes/generate.ts!']
  : [];

export default {
  // An exception that no longer matches anything is an error.
  treatConfigHintsAsErrors: true,
  // Production needs an export that its own file uses, although only tests import it.
  ignoreExportsUsedInFile: isProduction,
  workspaces: {
    '.': {
      entry: [
        ...startedByScripts,
        // Bundled as functions and programs, by name.
        'functions/*/handler.ts!',
        'functions/watch-forwarder/main.ts!',
        'local/provider/*/handler.ts!',
        // What the published package exports (infra/package/entries.ts).
        'infra/aws/provider.ts!',
        'infra/package/{lambda,testing,timer}.ts!',
        // Started by a command line: npm scripts, containers, the CDK, CI, the benchmarks' child processes.
        '{cli,infra,local}/**/main.ts!',
        'infra/aws/app.ts!',
        'bench/cold-start/{empty-handler.ts,first-answer.mjs}!',
        '.ci/{steps,summary}.ts!',
        // Examples are entries of their readers; npm start loads them by path.
        'examples/{actuator,provider}/provider.ts!',
        // Preloaded into child processes with --import.
        'test/support/preload/*.ts',
        // Scenarios of rights, found by the name of the reconciler.
        'test/integration/rights/reconcilers/*.ts',
        // Workloads of the simulation, found in the folder of their reconciler.
        'test/simulation/workloads/*/*.ts',
        // A reporter that vitest.config.ts names to the test runner.
        'test/times/reporter.ts',
        // Records with the real engine; started by hand.
        'test/unit/packages/cel/record.ts',
      ],
      project: ['{functions,shared,local,cli,infra,bench,examples}/**/*.{ts,mjs}!', 'test/**/*.ts', '.ci/*.ts', '*.ts'],
      // Programs of the machine that optional suites and benchmarks start.
      ignoreBinaries: ['go', 'java', 'kubectl', 'mvn', 'unshare'],
      // The published package contains packages/cel and the patterns of packages/apimachinery, so the root must bring what
      // they import to users.
      ignoreDependencies: ['@marcbachmann/cel-js', 're2js'],
    },
    'packages/*': {
      project: ['**/*.ts!'],
    },
  },
} satisfies KnipConfig;
