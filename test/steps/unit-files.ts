// The unit tests in two projects, because counting the lines that run makes long computations many times slower. Only
// tests of covered modules (`coveredModules`) run with coverage.
import { globSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** Tests have the paths of their modules. Those of `cli`, `hostile` and `provider-sdk` run the rest of the covered lines. */
const ofCoveredModules = [
  'cli/{plan,why}/**/*',
  'functions/**/*',
  'hostile/batch',
  'packages/{apimachinery,cluster-api,reconciler}/**/*',
  'packages/provider-sdk/scenarios*',
  'shared/{admission,conversion,kernel,runtime-hooks,variables}/**/*',
  'shared/{external,machine-collections,names,server-side-apply,template-cleanup,topology}/**/*',
];

/** Tests without covered modules, and tests that repeat with many inputs what shorter tests run. */
const uncovered = [
  'functions/{admission,audit-webhook,resync,rotate-audit-token,timer,watch-forwarder,windowed-forwarder}/**/*',
  'functions/cluster/{deletion-guards,lifecycle,secret-wait}',
  'functions/extensionconfig/hostile',
  'functions/machine/lifecycle',
  'functions/machinedeployment/rollout/{random-rollouts,sequences}',
  'functions/machinehealthcheck/histories',
  'functions/machineset/races',
  'functions/topology/upgrade-random',
  'shared/runtime-hooks/{hostile,memory}',
  'shared/runtime-hooks/client/**/*',
  'shared/variables/{ajv,most-work}',
];

const isAny = (globs: readonly string[], file: string): boolean =>
  globs.some(glob => path.matchesGlob(file, `test/unit/${glob}.test.ts`));

const all = globSync('test/unit/**/*.test.ts', { cwd: root });
const isCovering = (file: string): boolean => isAny(ofCoveredModules, file) && !isAny(uncovered, file);

/** The files of the project `unit`, which runs with coverage in CI. */
export const coveringTests: readonly string[] = all.filter(isCovering);

/** The files of the project `unit-uncovered`: all other unit tests. */
export const uncoveredTests: readonly string[] = all.filter(file => !isCovering(file));
