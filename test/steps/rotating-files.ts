// Long test files that take turns: a commit runs one file of each group. The files of a group test the same parts together in
// different ways, or what other suites test in virtual time.
import { outOfTurn } from '../support/rotation.ts';

const integration = (...names: readonly string[]): readonly string[] =>
  names.map(name => `test/integration/${name}.test.ts`);

const groups: readonly (readonly string[])[] = [
  integration('deployed-rights-extensions', 'deployed-rights-no-gates', 'deployed-rights-topologies'),
  integration('slow-api-server', 'walking', 'audit-source'),
  integration('clusterctl', 'older-versions', 'install', 'page'),
  integration('kill/kill', 'kill/drain'),
  ['test/packaging/toy-reconciler.test.ts', 'test/packaging/new-provider.test.ts'],
];

/** The files that this commit leaves out. `CAPI_TEST_PART=all` leaves out none. */
export const restingFiles: readonly string[] = groups.flatMap(group => outOfTurn(group));
