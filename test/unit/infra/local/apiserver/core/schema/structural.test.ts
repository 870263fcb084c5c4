// Which definitions are refused, and where: recorded from a kube-apiserver; test/ports/apiserver/rules asks both servers.
import { expect, it } from 'vitest';
import { problemsOfVersions } from '../../../../../../../infra/local/apiserver/core/definition-versions.ts';
import { definitions } from '../../../../../../ports/apiserver/rules/fixtures.ts';

function versionsWith(schema: unknown, change: object = {}) {
  return { versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...change }] };
}

it.each(definitions)('a definition with $reason', ({ schema, version, refused }) => {
  const told = problemsOfVersions(versionsWith(schema, version), undefined);
  const places = (causes: readonly { readonly reason: string; readonly field?: string }[]) =>
    causes.map(({ reason, field }) => `${field} ${reason}`).toSorted();
  expect(places(told)).toEqual(places(refused ?? []));
});

it('a version that is as it was is not looked at again, so that one stored before can still be changed elsewhere', () => {
  const odd = versionsWith({ type: 'object', properties: { spec: {} } });
  expect(problemsOfVersions(odd, odd)).toEqual([]);
  expect(problemsOfVersions(odd, versionsWith({ type: 'object' }))).not.toEqual([]);
});

it('a schema that differs between versions is told by its version', () => {
  const [first] = versionsWith({ type: 'object' }).versions;
  const [second] = versionsWith({ type: 'array' }, { name: 'v2', storage: false }).versions;
  const [told] = problemsOfVersions({ versions: [first, second] }, undefined);
  expect(told?.field).toBe('spec.versions[1].schema.openAPIV3Schema.type');
});
