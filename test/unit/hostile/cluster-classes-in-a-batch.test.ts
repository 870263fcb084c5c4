// A batch of ten ClusterClasses, each of another tenant. The extensions of eight answer with hostile variables. All
// classes are reconciled in the same invocation, and each hostile one gets a condition.

import type { ObjectRef, WorkMeter } from '@capi-serverless/apimachinery';
import { workOfPass } from '@capi-serverless/reconciler';
import { expect, it } from 'vitest';
import { createClusterClassReconciler } from '../../../functions/clusterclass/reconciler.ts';
import { reconcileBatch } from '../../../shared/kernel/batch.ts';
import { toBody } from '../../../shared/workqueue/message.ts';
import { aBatchContext } from '../../support/batch-context.ts';
import { aPlainClusterClass, templates } from '../../support/cluster-class.ts';
import { isFull } from '../../support/extent.ts';
import { fakeHooks } from '../../support/fake-hooks.ts';
import { createMemoryApi } from '../../support/memory-api.ts';
import { built } from '../../support/object-builder.ts';
import { conditionIn, conditionText } from '../../support/result-text.ts';
import { anExtension, answerVariables } from '../functions/clusterclass/reconciled-class.ts';

interface HostileClass {
  readonly reason: string;
  /** The schemas of the variables that its extension answers. */
  readonly schemas: readonly object[];
  /** A part of the message of VariablesReady. */
  readonly says: string;
  /** Takes seconds, so it does not run in `npm test`. */
  readonly isLong?: boolean;
}

const many = <T>(length: number, toItem: (index: number) => T): readonly T[] =>
  Array.from({ length }, (_, at) => toItem(at));
const long = 'x'.repeat(100);
const tooMuch = 'takes too much work to check: make schemas and values smaller';

const attacks: readonly HostileClass[] = [
  {
    reason: 'a deep schema',
    schemas: [many(200, () => 'x').reduce<object>(schema => ({ type: 'object', properties: { x: schema } }), {})],
    says: 'must not be nested more than',
  },
  {
    reason: 'a pattern with nested repetitions',
    schemas: [{ type: 'string', pattern: '((a{1,100}){1,100}){1,100}' }],
    says: 'expression too large',
  },
  {
    reason: 'choices that are each compared with all others',
    schemas: [{ type: 'string', enum: many(100_000, at => `${at}`) }],
    says: 'must have at most 100 items',
  },
  {
    reason: 'more invalid choices than a call can have arguments',
    schemas: [{ type: 'string', minLength: 10, enum: many(130_000, at => `${at}`) }],
    says: 'should be at least 10 chars long',
  },
  {
    reason: 'many items, each with a message that contains many choices',
    schemas: [
      {
        type: 'array',
        items: { type: 'string', enum: many(3000, at => `${long}${at}`) },
        default: many(9000, () => `${long}z`),
      },
    ],
    says: tooMuch,
  },
  {
    reason: 'many schemas for many items',
    schemas: [
      {
        type: 'array',
        items: { type: 'string', allOf: many(200, () => ({ minLength: 2 })) },
        default: many(20_000, () => 'x'),
      },
    ],
    says: tooMuch,
    isLong: true,
  },
  {
    reason: 'a rule with three nested loops',
    schemas: [
      {
        type: 'array',
        items: { type: 'string' },
        'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, self.all(c, a == b && b == c)))' }],
      },
    ],
    says: 'estimated rule cost exceeds budget',
  },
  {
    reason: 'more variables than a class can have',
    schemas: many(1001, () => ({ type: 'string' })),
    says: 'there are 1001',
  },
];

/** Tenants. Each has a namespace and a class of its name. */
const names = many(10, at => `c${at}`);

/** The templates of a plain class. */
function templatesIn(namespace: string) {
  return [templates.infrastructure, templates.controlPlane].map(template => {
    const { metadata, ...rest } = built(template);
    return { ...rest, metadata: { ...metadata, namespace } };
  });
}

function toRef(name: string): ObjectRef {
  return { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', namespace: name, name };
}

function messageOf(name: string) {
  const key = { managementCluster: 'mc', group: 'cluster.x-k8s.io', kind: 'ClusterClass', namespace: name, name };
  const request = { v: 1, reconciler: 'clusterclass', key, cause: 'event', attempt: 0, trace: 't' } as const;
  return { messageId: name, body: toBody(request) };
}

it('reconciles the other ClusterClasses, and charges the meter of each one', async () => {
  const api = createMemoryApi();
  const hooks = fakeHooks({ clock: api.clock });
  const hostile = new Map(
    names.map((name, at) => [name, attacks.filter(({ isLong }) => isFull || isLong !== true)[at]]),
  );
  api.given(anExtension(...names));
  for (const [name, attack] of hostile) {
    api.given(
      ...templatesIn(name),
      aPlainClusterClass()
        .named(name)
        .in(name)
        .discovering({ p1: `${name}.ext1` }),
    );
    const schemas = attack?.schemas ?? [{ type: 'string' }];
    answerVariables(
      hooks,
      name,
      schemas.map((openAPIV3Schema, at) => ({ name: `v${at}`, required: false, schema: { openAPIV3Schema } })),
    );
  }
  const meters = new Map<string, WorkMeter | undefined>();
  const reconciler = createClusterClassReconciler({ callsExtensions: true });
  const failed = await reconcileBatch(
    {
      ...aBatchContext(api),
      reconciler: {
        ...reconciler,
        observe(primary, ask, pass) {
          meters.set(primary.metadata.name, pass.meter);
          return reconciler.observe(primary, ask, pass);
        },
      },
      ports: { hooks },
    },
    names.map(messageOf),
  );
  expect(failed).toEqual([]);
  for (const [name, attack] of hostile) {
    const { conditions } = api.read(toRef(name)).status as { readonly conditions?: unknown }; // true: by the schema
    const text = conditionText(conditionIn(conditions, 'VariablesReady'));
    const expected = attack === undefined ? 'True/VariablesReady' : expect.stringContaining(attack.says);
    expect({ reason: attack?.reason, text }).toEqual({ reason: attack?.reason, text: expected });
    const spent = meters.get(name)?.spent ?? Number.POSITIVE_INFINITY;
    expect(spent).toBeLessThan(workOfPass.units);
    expect({ reason: attack?.reason, isCharged: spent > 0 }).toMatchObject(
      attack?.says === tooMuch ? { isCharged: true } : {},
    );
  }
});
