// One Cluster of an actuator on a server, with its children and with similar objects of other owners.
import {
  type Intent,
  type ObjectRef,
  toApiVersion,
  toDisplayName,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import type { PassEnd } from '@capi-serverless/reconciler/runner';
import { expectThat } from './expectations.ts';
import { clear, createLife, type Life, valueOfAnswer } from './life.ts';
import type { ActuatorConformanceSetup } from './setup.ts';
import { specOf } from './suite-objects.ts';

export interface ActuatorWorld extends Life {
  readonly setup: ActuatorConformanceSetup;
  readonly finalizer: string;
  /** Runs passes until the object is ready and no further pass is requested. */
  settleReady(pass?: () => Promise<unknown>): Promise<Unstructured>;
  /** Creates a child with a finalizer of the suite. `owner` is the uid of the owner. Default: the uid of the object. */
  addChild(owner?: string): Promise<ObjectRef>;
}

/** The finalizer that keeps children until the suite removes it. */
const hold = 'conformance.capi-serverless.dev/hold';
/** A uid that belongs to no object. */
export const unknownUid = '00000000-0000-4000-8000-000000000000';

/** Creates a Cluster. Throws if it is refused. */
export async function beginActuatorWorld(
  setup: ActuatorConformanceSetup,
  { finalizers = [] }: { readonly finalizers?: readonly string[] } = {},
): Promise<ActuatorWorld> {
  const { primary } = setup.actuator.declaration;
  const { ref, children } = refsOf(setup, setup.newId());
  const kubernetes = setup.kubernetes();
  const create = async (intent: Intent): Promise<Unstructured> =>
    valueOfAnswer(await kubernetes.create(intent), `Creating ${intent.kind} ${toDisplayName(intent.metadata)}`);
  const stored = await create({
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: { namespace: setup.namespace, name: ref.name, annotations: setup.annotations ?? {}, finalizers },
    spec: specOf(setup),
  });
  const life = createLife({ reconciler: setup.actuator, kubernetes, ref, now: setup.now() });
  const finalizer = finalizerOf(setup);
  return {
    ...life,
    setup,
    finalizer,
    async settleReady(step = life.pass) {
      await life.settle((object, last) => isReady(object, setup) && endedWell(last), step);
      return life.read(ref);
    },
    async addChild(owner = stored.metadata.uid) {
      const target = children[owner === stored.metadata.uid ? 0 : 1];
      expectThat(target !== undefined, 'a setup that names a kind of children');
      await create({
        apiVersion: target.apiVersion,
        kind: target.kind,
        metadata: {
          namespace: setup.namespace,
          name: target.name,
          labels: { [`${primary.group}/cluster-name`]: ref.name },
          ownerReferences: [{ apiVersion: ref.apiVersion, kind: ref.kind, name: ref.name, uid: owner }],
          finalizers: [hold],
        },
        spec: setup.child?.spec ?? {},
      });
      return target;
    },
  };
}

function finalizerOf({ actuator, finalizer }: ActuatorConformanceSetup): string {
  const { kind, group } = actuator.declaration.primary;
  return finalizer ?? `${kind.toLowerCase()}.${group}`;
}

/**
 * Deletes the remaining objects with this id. First it uses the actuator's `delete`, so that external resources are
 * deleted too. If this fails, it removes the finalizers.
 */
export async function clearActuatorWorld(setup: ActuatorConformanceSetup, id: string): Promise<void> {
  const { ref, children } = refsOf(setup, id);
  const kubernetes = setup.kubernetes();
  await clear(kubernetes, children);
  const life = createLife({ reconciler: setup.actuator, kubernetes, ref, now: setup.now() });
  const finalizers = (await life.find())?.metadata.finalizers?.filter(finalizer => finalizer === finalizerOf(setup));
  if (finalizers !== undefined && finalizers.length > 0) {
    await life.patch({ metadata: { finalizers } });
    await life.remove(ref);
    await life.settleGone().catch(() => undefined); // another case checks the deletion
  }
  await clear(kubernetes, [ref]);
}

function refsOf({ actuator, namespace, child }: ActuatorConformanceSetup, id: string) {
  const { primary } = actuator.declaration;
  const apiVersion = toApiVersion(primary);
  const name = `conformance-${id}`;
  const ref: ObjectRef = { apiVersion, kind: primary.kind, namespace, name };
  const children: readonly ObjectRef[] =
    child === undefined
      ? []
      : ['own', 'foreign'].map(whose => ({ apiVersion, kind: child.kind, namespace, name: `${name}-${whose}` }));
  return { ref, children };
}

function isReady(object: Unstructured | undefined, setup: ActuatorConformanceSetup): boolean {
  return (
    object?.metadata.finalizers?.includes(finalizerOf(setup)) === true &&
    (setup.isReady === undefined || setup.isReady(object))
  );
}

/**
 * Returns true if one pass, or each of several concurrent passes, ended without a requeue. A crashed pass is ignored.
 */
function endedWell(last: unknown): boolean {
  const ends = [last].flat() as readonly (PassEnd | undefined)[]; // True: these are the results of passes.
  return ends.length > 0 && ends.every(end => end?.kind === 'reported' && end.result.kind === 'done');
}
