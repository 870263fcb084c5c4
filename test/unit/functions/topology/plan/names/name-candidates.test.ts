// The search for the name of one object, step by step.

import {
  type Answer,
  answered,
  type Intent,
  invalid,
  type ObjectMeta,
  refused,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { chooseName, chooseRotatedName } from '../../../../../../functions/topology/plan/names/name-candidates.ts';
import type { WantedName } from '../../../../../../functions/topology/plan/names/wanted-names.ts';
import { answerFrom } from '../../../../../support/answered-plan.ts';
import { settledObjects } from '../../../../../support/settled-topology.ts';
import { aBlueprint } from '../../../../../support/topology-objects.ts';

const { cluster } = aBlueprint();
const template = settledObjects().md1Infrastructure;
const { apiVersion, kind } = template.build();
const wanted: WantedName = {
  ...{ role: 'MachineDeploymentInfrastructureTemplate', topologyName: 'md1', template: '', apiVersion, kind },
  held: undefined,
  toProblem: cause => cause,
};
const object: WantedName = { ...wanted, role: 'MachineDeployment', kind: 'MachineDeployment' };
const broken = '{{ .none }';

/** Returns eight bytes that contain the length of the text, so that texts of equal length have equal digests. */
const digest = (text: string): Uint8Array => new Uint8Array(32).fill(text.length);
/** The last character before the bracket is the number of the candidate. */
const byNumber = (text: string): Uint8Array => new Uint8Array(32).fill(Number(text.at(-2)));

const missing = refused({ reason: 'NotFound', message: '' });
const ours = template.named('candidate').build();
const foreign = { ...ours, metadata: { ...ours.metadata, labels: {} } };
const shim = { apiVersion: 'v1', kind: 'Secret', name: 'c1-shim', uid: 'uid-of-shim' } as const;
const byShim = { ...ours, metadata: { ...ours.metadata, ownerReferences: [shim] } };

interface Found {
  readonly get?: Answer<Unstructured>;
  readonly metadata?: Answer<ObjectMeta>;
}

/** By default, each name is free. */
function choose(of: WantedName, { get = missing, metadata = missing }: Found = {}, by = digest) {
  const { result, asked } = answerFrom(chooseName(of, cluster, by), { get: () => get, metadata: () => metadata });
  return { result, asked: asked.map(({ about }) => about) };
}

describe('the candidates', () => {
  it('are objects of the kind in the namespace of the Cluster', () => {
    const name = expect.stringMatching(/^c1-md1-\w{5}$/);
    expect(choose(wanted)).toEqual({ result: valid({ name }), asked: [{ apiVersion, kind, namespace: 'ns1', name }] });
  });

  it('differ by their number, and are five', () => {
    const { result, asked } = choose(wanted, { get: answered(foreign) }, byNumber);
    expect(new Set(asked.map(({ name }) => name)).size).toBe(5);
    const names = asked.map(({ name }) => `ns1/${name}`).join(', ');
    expect(result).toEqual(
      invalid(
        `failed to find a name for ${kind}: taken by what is being deleted or does not belong to Cluster ns1/c1: ${names}; delete or rename what is in the way`,
      ),
    );
  });

  it('are one where the naming template always gives the same name', () => {
    const fixed = { ...object, template: 'fixed' };
    expect(choose(fixed).result).toEqual(valid({ name: 'fixed' }));
    const { result, asked } = choose(fixed, { get: answered(foreign) });
    expect(result).toEqual(invalid(expect.stringContaining(': ns1/fixed; delete')));
    expect(asked).toHaveLength(1);
  });

  it('are an error where the naming template is', () => {
    const { result, asked } = choose({ ...object, template: broken });
    expect(result).toEqual(invalid(expect.stringMatching(/^failed to generate name for MachineDeployment: ./)));
    expect(asked).toEqual([]);
  });

  it('follow from the uid of the Cluster, the role, the topology name and the seed', () => {
    const texts: string[] = [];
    const recording = (text: string): Uint8Array => {
      texts.push(text);
      return digest(text);
    };
    choose(wanted, {}, recording);
    expect(texts).toEqual([
      JSON.stringify([cluster.metadata.uid, 'MachineDeploymentInfrastructureTemplate', 'md1', '', 0]),
    ]);
  });

  it('of a rotation take the old name and the content, without name and uid, as their seed', () => {
    const intent: Intent = {
      apiVersion,
      kind,
      metadata: { name: 'old', uid: 'u', labels: { a: 'b' } },
      spec: { s: 1 },
    };
    const role = 'MachineDeploymentInfrastructureTemplate';
    const seedOf = (of: Intent): readonly unknown[] => {
      const texts: string[] = [];
      const recording = (text: string): Uint8Array => {
        texts.push(text);
        return digest(text);
      };
      const { asked } = answerFrom(chooseRotatedName({ cluster, role, topologyName: 'md1', intent: of }, recording), {
        get: () => missing,
      });
      expect(asked).toMatchObject([{ about: { apiVersion, kind, name: expect.stringMatching(/^c1-md1-\w{5}$/) } }]);
      return JSON.parse(texts[0] ?? '[]');
    };
    const [uid, of, topologyName, name, content, number] = seedOf(intent);
    expect([uid, of, topologyName, name, number]).toEqual([cluster.metadata.uid, role, 'md1', 'old', 0]);
    expect(JSON.parse(String(content))).toEqual({ apiVersion, kind, metadata: { labels: { a: 'b' } }, spec: { s: 1 } });
    expect(seedOf({ ...intent, spec: { s: 2 } })).not.toEqual(seedOf(intent));
  });
});

describe('the name of an existing object', () => {
  it.each([
    { reason: 'a reference holds one', change: { held: 'old' }, isKept: true },
    { reason: 'nothing holds a name', change: {}, isKept: false },
  ])('is kept without a read: $reason', ({ change, isKept }) => {
    const { result, asked } = choose({ ...object, ...change });
    expect(result).toEqual(valid({ name: isKept ? 'old' : expect.stringMatching(/^c1-md1-\w{5}$/) }));
    expect(asked).toHaveLength(isKept ? 0 : 1);
  });

  it('is an error if the naming template is broken', () => {
    const { result } = choose({ ...object, held: 'old', template: broken });
    expect(result).toEqual(invalid(expect.stringMatching(/^failed to generate name/)));
  });
});

describe('a candidate', () => {
  const { result: first } = choose(wanted);
  const name = first.ok ? first.value.name : '';
  const shimRef = { apiVersion: 'v1', kind: 'Secret', namespace: 'ns1', name: 'c1-shim' };

  it.each([
    { reason: 'it is free', get: missing, result: valid({ name }) },
    {
      reason: 'it cannot be read',
      get: refused({ reason: 'Forbidden', message: 'no right' }),
      result: invalid(`failed to look up ${kind} ns1/${name}: no right`),
    },
    { reason: 'it is ours', get: answered(ours), result: valid({ name: 'candidate', existing: ours }) },
    { reason: 'it is not ours', get: answered(foreign), result: invalid(expect.stringContaining('taken by')) },
  ])('is checked against the object with its name: $reason', ({ get, result }) => {
    const chosen = choose(wanted, { get });
    expect(chosen.result).toEqual(result);
    expect(chosen.asked).not.toContainEqual(shimRef);
  });

  const metadata = { name: 'c1-shim', namespace: 'ns1', uid: shim.uid, resourceVersion: '1' };
  const taken = invalid(expect.stringContaining('taken by'));
  it.each([
    {
      reason: 'the owner is the shim that exists',
      answer: answered(metadata),
      result: valid({ name: 'candidate', existing: byShim }),
    },
    { reason: 'another shim exists', answer: answered({ ...metadata, uid: 'u2' }), result: taken },
    { reason: 'no shim exists', answer: missing, result: taken },
    {
      reason: 'the shim cannot be read',
      answer: refused({ reason: 'Unavailable', message: 'down' }),
      result: invalid('failed to read the cluster shim object: down'),
    },
  ])('that a shim owns is compared with that shim: $reason', ({ answer, result }) => {
    const chosen = choose(wanted, { get: answered(byShim), metadata: answer });
    expect(chosen.result).toEqual(result);
    expect(chosen.asked[1]).toEqual(shimRef);
  });
});
