// Tests of the actuator suite. A correct actuator passes. Each defect causes a failure of its case.
import { describe, expect, it } from 'vitest';
import { answered } from '../../../../../packages/apimachinery/answer.ts';
import { defineClusterActuator } from '../../../../../packages/provider-sdk/cluster-actuator.ts';
import type { ActuatorContext, ClusterActuatorOptions } from '../../../../../packages/provider-sdk/cluster-author.ts';
import { RequeueAfter, Terminal } from '../../../../../packages/provider-sdk/errors.ts';
import {
  type ActuatorConformanceSetup,
  actuatorConformance,
} from '../../../../../packages/provider-sdk/testing/index.ts';
import type { Reconciler } from '../../../../../packages/reconciler/types.ts';
import { createMemoryApi } from '../../../../support/memory-api.ts';
import { actuatorFinalizer, actuatorGroup, legacyCrd } from '../../../../support/scripted-actuator.ts';

type Actuator = ActuatorConformanceSetup['actuator'];

interface Change extends Partial<Pick<ClusterActuatorOptions, 'reconcile' | 'delete'>> {
  /** Wraps the complete reconciler. */
  readonly wrap?: (inner: Actuator) => Actuator;
}

const order = (name: string, value: string | null) => ({ metadata: { annotations: { [name]: value } } });
const ordered = ({ cluster }: Pick<ActuatorContext, 'cluster'>, name: string): boolean =>
  cluster.metadata.annotations?.[name] !== undefined;

async function soundly(context: ActuatorContext): Promise<undefined> {
  if (ordered(context, 'hopeless')) {
    throw new Terminal('InvalidConfiguration', 'nothing helps');
  }
  if (ordered(context, 'broken')) {
    throw new Error('the cloud does not answer');
  }
  if (context.status['network'] === undefined) {
    context.patchStatus({ network: 'net' });
    throw new RequeueAfter(1);
  }
}

/** Returns the names of the failed cases. */
async function failingCases({ wrap = inner => inner, ...change }: Change): Promise<readonly string[]> {
  const api = createMemoryApi({ crds: ['Cluster', 'Machine', 'MachineSet', 'MachineDeployment'].map(legacyCrd) });
  const actuator = defineClusterActuator({
    group: actuatorGroup,
    version: 'v1alpha1',
    name: 'old-cluster',
    status: ['network'],
    reconcile: soundly,
    delete: async () => undefined,
    ...change,
  });
  let ids = 0;
  const namespace = 'default';
  await api.others.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const cases = actuatorConformance({
    actuator: wrap(actuator),
    kubernetes: () => api.others,
    namespace,
    now: () => api.clock.now(),
    newId: () => {
      ids += 1;
      return `case-${ids}`;
    },
    child: { kind: 'Machine' },
    failure: { inject: order('broken', 'yes'), mend: order('broken', null) },
    terminal: { inject: order('hopeless', 'yes') },
  });
  const failing: string[] = [];
  for (const { name, run } of cases) {
    await run().catch((error: unknown) => failing.push(error instanceof Error ? name : String(error)));
  }
  for (const kind of ['Cluster', 'Machine']) {
    const left = await api.others.list({ apiVersion: `${actuatorGroup}/v1alpha1`, kind });
    expect(left).toEqual({ ok: true, value: [] });
  }
  return failing;
}

describe('the conformance suite of actuators', () => {
  it('passes a correct actuator', async () => {
    expect(await failingCases({})).toEqual([]);
  });

  it('fails an actuator whose status never settles', async () => {
    let calls = 0;
    const failing = await failingCases({
      reconcile: async context => {
        await soundly({ ...context, status: { network: 'net' } });
        calls += 1;
        context.patchStatus({ network: String(calls) });
      },
    });
    expect(failing).toContain('settles, and then writes nothing');
    expect(failing).toContain('becomes ready under concurrent calls');
  });

  it('fails an actuator that keeps state in its process', async () => {
    const begun = new Set<string>();
    const failing = await failingCases({
      reconcile: async context => {
        const { uid } = context.cluster.metadata;
        if (context.status['network'] === undefined && begun.has(uid)) {
          throw new Error('there is a network of that name already');
        }
        begun.add(uid);
        await soundly(context);
      },
    });
    expect(failing).toContain('becomes ready if a crash prevents any one write');
    expect(failing).not.toContain('settles, and then writes nothing');
  });

  it('fails an actuator that never finishes a deletion', async () => {
    const failing = await failingCases({ delete: async () => new RequeueAfter(30) });
    expect(failing).toEqual(
      expect.arrayContaining([
        'is deleted after it settled',
        'is deleted after its first call',
        'is deleted after a terminal failure',
      ]),
    );
    expect(failing).not.toContain('settles, and then writes nothing');
  });

  it('fails an actuator that treats a failure as done, and is not called again', async () => {
    const reconcile = async (context: ActuatorContext) => {
      await soundly(context).catch((error: unknown) => {
        if (error instanceof RequeueAfter || error instanceof Terminal) {
          throw error;
        }
      });
    };
    expect(await failingCases({ reconcile })).toEqual(['is called again while it fails, and recovers']);
  });

  it('fails an actuator that adopts objects in deletion', async () => {
    const failing = await failingCases({
      wrap: inner => observing(inner, withFinalizer),
      delete: async ({ patchStatus }) => patchStatus({ network: 'gone' }),
    });
    expect(failing).toContain('does not change an object in deletion without its finalizer');
  });

  it.each<{ readonly reason: string; readonly wrap: (inner: Actuator) => Actuator; readonly failing: string }>([
    {
      reason: 'keeps no finalizer',
      wrap: inner => observing(inner, withFinalizer),
      failing: 'stores its finalizer before it does anything else',
    },
    {
      reason: 'does not store a terminal failure',
      wrap: inner => observing(inner, object => ({ ...object, status: {} })),
      failing: 'reports a permanent failure, and is not called again',
    },
    {
      reason: 'does not read its children',
      wrap: inner => ({
        ...inner,
        observe: (primary, ask, pass) => inner.observe(primary, { ...ask, list: async () => answered([]) }, pass),
      }),
      failing: 'is deleted after its children',
    },
    {
      reason: 'treats every object with its label as a child',
      wrap: inner => ({
        ...inner,
        observe: (primary, ask, pass) =>
          inner.observe(
            primary,
            {
              ...ask,
              async list(query: Parameters<typeof ask.list>[0]) {
                const listed = await ask.list(query);
                const ownerReferences = [{ apiVersion: 'v1', kind: 'C', name: 'c', uid: primary.metadata.uid }];
                return listed.ok
                  ? answered(
                      listed.value.map(child => ({ ...child, metadata: { ...child.metadata, ownerReferences } })),
                    )
                  : listed;
              },
            },
            pass,
          ),
      }),
      failing: 'treats only objects that reference it as owner as its children',
    },
    {
      reason: 'writes to other objects',
      wrap: inner => ({
        ...inner,
        decide: (seen, now) => [
          {
            id: 'more',
            onError: 'continue',
            do: 'create',
            object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'mine' } },
            ours: () => true,
          },
          ...inner.decide(seen, now),
        ],
      }),
      failing: 'writes to its own object and to nothing else',
    },
  ])('fails an actuator that $reason', async ({ wrap, failing }) => {
    expect(await failingCases({ wrap })).toContain(failing);
  });
});

type Observed = Parameters<Reconciler<object, object>['observe']>[0];

/** Returns the actuator with these changed objects. */
function observing(inner: Actuator, look: (object: Observed) => Observed): Actuator {
  return { ...inner, observe: (primary, ask, pass) => inner.observe(look(primary), ask, pass) };
}

function withFinalizer(object: Observed): Observed {
  const finalizers = [...new Set([...(object.metadata.finalizers ?? []), actuatorFinalizer])];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
