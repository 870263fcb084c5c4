// The search for the name of one object, step by step.

import { answered, type Intent, invalid, refused, valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  judgeCandidate,
  judgeWithShim,
  type NameSearch,
  nextCandidate,
  searchOfRotation,
  startName,
} from '../../../../../../functions/topology/plan/names/name-candidates.ts';
import type { WantedName } from '../../../../../../functions/topology/plan/names/wanted-names.ts';
import { settledObjects } from '../../../../../support/settled-topology.ts';
import { aBlueprint } from '../../../../../support/topology-objects.ts';

const { cluster } = aBlueprint();
const template = settledObjects().md1Infrastructure;
const { apiVersion, kind } = template.build();
const search: NameSearch = {
  ...{ cluster, apiVersion, kind, role: 'MachineDeploymentInfrastructureTemplate', topologyName: 'md1', template: '' },
  seed: [''],
};
const object: NameSearch = { ...search, role: 'MachineDeployment', kind: 'MachineDeployment' };

/** Returns eight bytes that contain the length of the text, so that texts of equal length have equal digests. */
const digest = (text: string): Uint8Array => new Uint8Array(32).fill(text.length);
/** The last character before the bracket is the number of the candidate. */
const byNumber = (text: string): Uint8Array => new Uint8Array(32).fill(Number(text.at(-2)));

describe('the next candidate', () => {
  it('is an object of the kind in the namespace of the Cluster', () => {
    const next = nextCandidate(search, [], digest);
    expect(next).toEqual(valid({ apiVersion, kind, namespace: 'ns1', name: expect.stringMatching(/^c1-md1-\w{5}$/) }));
  });

  it('differs by its number', () => {
    const taken: string[] = [];
    for (let n = 0; n <= 4; n += 1) {
      const next = nextCandidate(search, taken, byNumber);
      taken.push(next.ok ? next.value.name : next.error);
    }
    expect(new Set(taken).size).toBe(5);
    expect(nextCandidate(search, taken, byNumber)).toEqual(
      invalid(
        `failed to find a name for ${kind}: taken by what is being deleted or does not belong to Cluster ns1/c1: ${taken
          .map(name => `ns1/${name}`)
          .join(', ')}; delete or rename what is in the way`,
      ),
    );
  });

  it('does not exist where the naming template always gives the same name', () => {
    const fixed = { ...object, template: 'fixed' };
    expect(nextCandidate(fixed, [], digest)).toEqual(valid(expect.objectContaining({ name: 'fixed' })));
    expect(nextCandidate(fixed, ['fixed'], digest)).toEqual(invalid(expect.stringContaining(': ns1/fixed; delete')));
  });

  it('is an error where the naming template is', () => {
    const broken = nextCandidate({ ...object, template: '{{ .none }' }, [], digest);
    expect(broken).toEqual(invalid(expect.stringMatching(/^failed to generate name for MachineDeployment: ./)));
  });

  it('follows from the uid of the Cluster, the role, the topology name and the seed', () => {
    const texts: string[] = [];
    const recording = (text: string): Uint8Array => {
      texts.push(text);
      return digest(text);
    };
    nextCandidate({ ...search, seed: ['old', 'content'] }, [], recording);
    expect(texts).toEqual([
      JSON.stringify([cluster.metadata.uid, 'MachineDeploymentInfrastructureTemplate', 'md1', 'old', 'content', 0]),
    ]);
  });
});

describe('the start', () => {
  const wanted: WantedName = {
    ...{ role: 'MachineDeployment', topologyName: 'md1', template: '', apiVersion, kind: 'MachineDeployment' },
    held: undefined,
    toProblem: cause => cause,
  };
  const broken = '{{ .none }';

  it.each([
    { reason: 'nothing holds a name', change: {}, state: 'search' },
    { reason: 'a reference holds one', change: { held: 'old' }, state: 'held' },
    {
      reason: 'it holds one, and the naming template is broken',
      change: { held: 'old', template: broken },
      state: 'search',
    },
    { reason: 'the naming template is broken', change: { template: broken }, state: 'search' },
  ])('keeps the name of an existing object: $reason', ({ change, state }) => {
    const started = startName({ ...wanted, ...change }, cluster, digest);
    expect(started.state).toBe(state);
    expect(started).toEqual(
      state === 'held'
        ? { state, chosen: { name: 'old' } }
        : {
            state,
            search: {
              ...{ cluster, role: 'MachineDeployment', topologyName: 'md1', template: '', apiVersion },
              ...{ kind: 'MachineDeployment', seed: [''] },
              ...('template' in change ? { template: broken } : {}),
            },
          },
    );
  });

  it('of a rotation takes the old name and the content, without name and uid, as its seed', () => {
    const intent: Intent = {
      apiVersion,
      kind,
      metadata: { name: 'old', uid: 'u', labels: { a: 'b' } },
      spec: { s: 1 },
    };
    const role = 'MachineDeploymentInfrastructureTemplate';
    const { seed, ...rest } = searchOfRotation({ cluster, role, topologyName: 'md1', intent });
    expect(rest).toEqual({ cluster, role, topologyName: 'md1', template: '', apiVersion, kind });
    expect(seed[0]).toBe('old');
    expect(JSON.parse(seed[1] ?? '')).toEqual({ apiVersion, kind, metadata: { labels: { a: 'b' } }, spec: { s: 1 } });
    const other = searchOfRotation({ cluster, role, topologyName: 'md1', intent: { ...intent, spec: { s: 2 } } });
    expect(other.seed).not.toEqual(seed);
  });
});

describe('a candidate', () => {
  const ref = { apiVersion, kind, namespace: 'ns1', name: 'candidate' } as const;
  const shim = { apiVersion: 'v1', kind: 'Secret', name: 'c1-shim', uid: 'uid-of-shim' } as const;
  const ours = template.named('candidate').build();
  const byShim = { ...ours, metadata: { ...ours.metadata, ownerReferences: [shim] } };
  const foreign = { ...ours, metadata: { ...ours.metadata, labels: {} } };

  it.each([
    {
      reason: 'it is free',
      answer: refused({ reason: 'NotFound', message: '' }),
      judged: { state: 'chosen', chosen: { name: 'candidate' } },
    },
    {
      reason: 'it cannot be read',
      answer: refused({ reason: 'Forbidden', message: 'no right' }),
      judged: { state: 'failed', error: `failed to look up ${kind} ns1/candidate: no right` },
    },
    {
      reason: 'it is ours',
      answer: answered(ours),
      judged: { state: 'chosen', chosen: { name: 'candidate', existing: ours } },
    },
    { reason: 'it is not ours', answer: answered(foreign), judged: { state: 'taken' } },
    {
      reason: 'the shim owns it',
      answer: answered(byShim),
      judged: {
        state: 'askShim',
        existing: byShim,
        ref: { apiVersion: 'v1', kind: 'Secret', namespace: 'ns1', name: 'c1-shim' },
      },
    },
  ])('is checked against the object with its name: $reason', ({ answer, judged }) => {
    expect(judgeCandidate(search, ref, answer)).toEqual(judged);
  });

  const metadata = { name: 'c1-shim', namespace: 'ns1', uid: shim.uid, resourceVersion: '1' };
  it.each([
    {
      reason: 'the owner is the shim that exists',
      answer: answered(metadata),
      judged: { state: 'chosen', chosen: { name: 'candidate', existing: byShim } },
    },
    { reason: 'another shim exists', answer: answered({ ...metadata, uid: 'u2' }), judged: { state: 'taken' } },
    { reason: 'no shim exists', answer: refused({ reason: 'NotFound', message: '' }), judged: { state: 'taken' } },
    {
      reason: 'the shim cannot be read',
      answer: refused({ reason: 'Unavailable', message: 'down' }),
      judged: { state: 'failed', error: 'failed to read the cluster shim object: down' },
    },
  ])('that a shim owns is compared with that shim: $reason', ({ answer, judged }) => {
    expect(judgeWithShim(search, byShim, answer)).toEqual(judged);
  });
});
