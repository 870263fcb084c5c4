// Unused files, exports and dependencies. `knip --production` ignores tests, so it finds code that only tests use.
import type { KnipConfig } from 'knip';

const isProduction = process.argv.includes('--production');

/** Programs of npm scripts. knip finds them itself, but not with `--production`. */
const startedByScripts = isProduction
  ? [
      'bench/main.ts!',
      'examples/extension/main.ts!',
      'docs/generate.ts!',
      'docs/recording/make.ts!',
      'infra/package/libraries.ts!',
    ]
  : [];

export default {
  // An exception that no longer matches anything is an error.
  treatConfigHintsAsErrors: true,
  // With `--production`, an export that its own file uses is needed, although only tests import it.
  ignoreExportsUsedInFile: isProduction,
  workspaces: {
    '.': {
      entry: [
        ...startedByScripts,
        // Bundled by name as functions and programs.
        'functions/*/handler.ts!',
        'functions/watch-forwarder/main.ts!',
        'local/provider/*/handler.ts!',
        // The exports of the published package (infra/package/entries.ts).
        'infra/package/{aws,lambda,testing,timer}.ts!',
        // Answers of the conversion function, which is not deployed yet.
        'shared/conversion/{api-version-of,review}.ts!',
        // Workload clusters in memory, for tests and the simulation.
        'shared/kubernetes/memory/memory-workload.ts!',
        // Started by a command line: npm scripts, containers, the CDK, CI, and the child processes of benchmarks.
        '{cli,infra,local}/**/main.ts!',
        // Bundled for the browser by path.
        'local/page/browser/page.js!',
        'infra/aws/app.ts!',
        'bench/cold-start/{empty-handler.ts,first-answer.mjs}!',
        'bench/webhooks/answer-reviews.mjs!',
        '.ci/{changed,steps,summary}.ts!',
        // Examples are entries for their readers. npm start loads them by path.
        'examples/{actuator,provider}/provider.ts!',
        'examples/cdk/app.ts!',
        // Child processes with one function each.
        'test/iam-engine/function-host.ts',
        // Preloaded into child processes with --import.
        'test/support/preload/*.ts',
        // Scenarios of permissions, found by the name of the reconciler.
        'test/integration/rights/reconcilers/*.ts',
        // Workloads of the simulation, found in the folder of their reconciler.
        'test/simulation/workloads/*/*.ts',
        // The fuzz test finds these parsers in their folder.
        'test/fuzz/parsers/*.ts',
        // Records outcomes with the production engine. It is started manually.
        'test/unit/packages/cel/record.ts',
      ],
      project: [
        '{functions,shared,local,cli,infra,bench,examples,docs}/**/*.{ts,mjs}!',
        'test/**/*.ts',
        '.ci/*.ts',
        '*.ts',
        'local/page/browser/*.js!',
      ],
      // Programs of the machine that optional suites and benchmarks start.
      ignoreBinaries: ['go', 'java', 'kubectl', 'mvn', 'script', 'unshare'],
      // The published package contains packages/cel and the patterns of packages/apimachinery. Therefore the root
      // package must depend on their dependencies.
      ignoreDependencies: ['@marcbachmann/cel-js', 're2js'],
    },
    // npm runs this script after an install.
    ...(isProduction && { cli: { entry: ['prepare.js!'] } }),
    'packages/*': {
      project: ['**/*.ts!'],
    },
  },
} satisfies KnipConfig;
