// Long test files that take turns: a commit runs one file of each group. The files of a group test the same parts together in
// different ways, or what other suites test in virtual time.
import { outOfTurn, rotationOf } from '../support/rotation.ts';

const testsIn = (folder: string, ...names: readonly string[]): readonly string[] =>
  names.map(name => `test/${folder}${name}.test.ts`);

const groups: readonly (readonly string[])[] = [
  testsIn('integration/', 'deployed-rights-extensions', 'deployed-rights-no-gates', 'deployed-rights-topologies'),
  testsIn('integration/', 'slow-api-server', 'walking', 'audit-source'),
  testsIn('integration/', 'clusterctl', 'older-versions', 'install'),
  testsIn('integration/', 'kill/kill', 'kill/drain'),
  testsIn('packaging/', 'toy-reconciler', 'new-provider'),
];

/** `npm test` runs one file of each group, and with the full extent, a commit runs every second one. */
const quickGroups: readonly (readonly string[])[] = [
  testsIn('unit/hostile/', 'forwarder-memory', 'workload-memory', 'drains-memory'),
  [
    ...testsIn('unit/hostile/', 'small-objects', 'go-template', 'cluster-classes-in-a-batch'),
    ...testsIn('unit/', 'functions/audit-webhook/bad-bodies', 'packages/apiserver/http/robustness'),
    ...testsIn('unit/', 'shared/runtime-hooks/hostile', 'packages/go-template/limits'),
  ],
  [
    ...testsIn('unit/local/', 'external-provider/load', 'provider/machines/simulated-machines'),
    ...testsIn('unit/packages/provider-sdk/', 'testing/conformance', 'two-generations'),
  ],
  [
    ...testsIn('unit/functions/', 'machinehealthcheck/histories', 'machine/lifecycle', 'machineset/races'),
    ...testsIn('unit/functions/', 'watch-forwarder/creation', 'watch-forwarder/storm', 'resync/inventory'),
  ],
  testsIn(
    'infra/',
    'capi-serverless',
    'stack-sources',
    'stack-updates',
    'first-deploy',
    'stack-access',
    'two-deployments',
  ),
  testsIn('infra/', 'reconcile-once', 'runbook-pause', 'cli', 'large-topology'),
  testsIn('local-run/', 'topology-run', 'plan-machine', 'traces-and-secrets'),
  testsIn('simulation/', 'kills', 'releases', 'layouts', 'deaths'),
  testsIn('virtual/', 'outage/lost-workload', 'simulated-month', 'load/load', 'broken-fleets'),
];

/** The files that this commit leaves out. `CAPI_TEST_PART=all` leaves out none. */
export const restingFiles: readonly string[] = groups.flatMap(group => outOfTurn(group));

/** The files that `npm test` leaves out besides. */
export const restingInQuickRuns: readonly string[] = quickGroups.flatMap(group => outOfTurn(group));

/** The files that a commit leaves out with the full extent besides. */
export const restingInFullRuns: readonly string[] = quickGroups.flatMap(group => outOfTurn(group, rotationOf(2)));

/** All files that take turns. */
export const rotatingFiles: readonly string[] = [...groups, ...quickGroups].flat();
