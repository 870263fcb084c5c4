import type { FailureDetails, Intent } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  createProblem,
  groupKindOf,
  toHealthCheckWords,
  versionChange,
} from '../../../../../functions/topology/plan/change-texts.ts';
import { applied } from '../../../../support/topology-changes.ts';

const object: Intent = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'FooCluster',
  metadata: { name: 'c1-x2b4c', namespace: 'ns1' },
};

describe('a creation that failed', () => {
  const named = { kind: 'FooCluster', group: 'infrastructure.cluster.x-k8s.io' };
  const cause = { type: 'FieldValueInvalid', field: 'spec.size', message: 'must be positive' };

  it.each<[details: FailureDetails | undefined, text: string, reason: string]>([
    [undefined, 'FooCluster.infrastructure.cluster.x-k8s.io', 'the server says nothing in parts'],
    [{ ...named, causes: [] }, 'FooCluster.infrastructure.cluster.x-k8s.io', 'it names no causes'],
    [{ kind: 'fooclusters', group: 'x.io', causes: [] }, 'fooclusters.x.io', 'it names the resource'],
    [
      { ...named, causes: [cause, { ...cause, field: 'spec.zone' }] },
      'FooCluster.infrastructure.cluster.x-k8s.io: FieldValueInvalid: spec.size: must be positive ' +
        'FieldValueInvalid: spec.zone: must be positive',
      'it names causes',
    ],
  ])('never contains the name of the object: %j becomes %s, as %s', (details, text) => {
    const failure = {
      reason: 'Invalid',
      message: 'FooCluster "c1-x2b4c" is invalid',
      ...(details && { details }),
    } as const;
    expect(createProblem(failure, object)).toBe(`failed to create ${text}`);
  });

  it('prints a kind of the core group without its group', () => {
    expect(groupKindOf({ apiVersion: 'v1', kind: 'Secret' })).toBe('Secret');
  });
});

describe('a change of version', () => {
  const at = (version: string | undefined): Intent => ({ ...object, spec: version === undefined ? {} : { version } });

  it.each([
    { from: 'v1', to: 'v2', text: ' with version change from v1 to v2' },
    { from: 'v1', to: 'v1', text: '' },
    { from: undefined, to: 'v1', text: '' },
    { from: 'v1', to: undefined, text: '' },
  ])('from $from to $to reads "$text"', ({ from, to, text }) => {
    expect(versionChange(applied(at(from)), at(to), 'spec.version')).toBe(text);
  });
});

describe('a health check', () => {
  it('is named once it exists', () => {
    const { toEvent } = toHealthCheckWords.created(object);
    expect(toEvent?.(undefined)).not.toHaveProperty('about');
    expect(toEvent?.(applied(object))?.about?.metadata.uid).toBe('uid-of-c1-x2b4c');
  });
});
