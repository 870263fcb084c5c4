// Refused definitions with their fields, recorded from kube-apiserver. test/ports/apiserver/rules compares both servers.
import { expect, it } from 'vitest';
import { problemsOfVersions } from '../../../../../../packages/apiserver/core/definition-versions.ts';
import { definitions } from '../../../../../ports/apiserver/rules/fixtures.ts';

function versionsWith(schema: unknown, change: object = {}) {
  return { versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...change }] };
}

it.each(definitions)('a definition with $reason', ({ schema, version, refused }) => {
  const reported = problemsOfVersions(versionsWith(schema, version), undefined);
  const places = (causes: readonly { readonly reason: string; readonly field?: string }[]) =>
    causes.map(({ reason, field }) => `${field} ${reason}`).toSorted();
  expect(places(reported)).toEqual(places(refused ?? []));
});

it('an unchanged version is not validated again, so that an older definition can still be updated elsewhere', () => {
  const odd = versionsWith({ type: 'object', properties: { spec: {} } });
  expect(problemsOfVersions(odd, odd)).toEqual([]);
  expect(problemsOfVersions(odd, versionsWith({ type: 'object' }))).not.toEqual([]);
});

it('a problem of one of several schemas names its version', () => {
  const [first] = versionsWith({ type: 'object' }).versions;
  const [second] = versionsWith({ type: 'array' }, { name: 'v2', storage: false }).versions;
  const [reported] = problemsOfVersions({ versions: [first, second] }, undefined);
  expect(reported?.field).toBe('spec.versions[1].schema.openAPIV3Schema.type');
});
