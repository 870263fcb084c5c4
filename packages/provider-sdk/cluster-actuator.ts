// Creates a reconciler from two functions of the author that handle the Cluster itself, as v1alpha1 providers did.
import { pluralOf, type Reads, toApiVersion, type Unstructured, withoutUndefined } from '@capi-serverless/apimachinery';
import { parseDuration } from '@capi-serverless/apimachinery/duration';
import type { DeclarationOf, PolicyRule, Reconciler } from '@capi-serverless/reconciler';
import * as z from 'zod/mini';
import type { BareContext } from './author.ts';
import type { ActuatorAnswer, ActuatorContext, ClusterActuatorOptions } from './cluster-author.ts';
import {
  type ActuatorRole,
  type ActuatorStep,
  type ClusterActuatorSeen,
  decideActuator,
  reportActuator,
  toDeletionStep,
  toLivingStep,
} from './cluster-flow.ts';
import { defaultTimeoutSeconds, nameOf, toOwnRules } from './declaration.ts';
import { silentLog } from './define-provider.ts';
import { findIntent, RequeueAfter, Terminal } from './errors.ts';
import { checkFormBy, checkReserved, identityFields, kindField, nameField } from './options.ts';
import { InvalidSpec, isFieldsSchema, parseSpec, readOwnStatus, statusFieldsOf, type Untyped } from './schema.ts';

export type ClusterActuator = Reconciler<object, ClusterActuatorSeen>;

const coreGroup = 'cluster.x-k8s.io';
const coreFinalizer = `cluster.${coreGroup}`;
const defaultChildren: readonly string[] = ['MachineDeployment', 'MachineSet', 'Machine'];
const failurePaths = { reason: 'status.errorReason', message: 'status.errorMessage' };

const method = z.custom<ClusterActuatorOptions['reconcile']>(
  value => typeof value === 'function',
  'must be a function',
);

const optionsSchema = z.strictObject({
  ...identityFields,
  name: nameField,
  kind: kindField,
  children: z.optional(z.array(kindField)),
  reconcile: method,
  delete: method,
});

/**
 * Returns a reconciler. It calls `reconcile` after its finalizer is stored, and `delete` after the Cluster's children
 * are deleted. RequeueAfter requeues after the given seconds. Terminal stops retries. Any other error is retried with
 * backoff. Throws TypeError on invalid options.
 */
export function defineClusterActuator<Spec = Untyped, Status = Untyped>(
  options: ClusterActuatorOptions<Spec, Status>,
): ClusterActuator {
  const { kind = 'Cluster' } = options;
  checkFormBy(optionsSchema, { ...options, kind });
  checkReserved(
    { kind, ...withoutUndefined({ status: options.status }) },
    { conditions: [], status: ['errorReason', 'errorMessage'] },
  );
  const role = toRole(options, kind);
  return {
    declaration: toDeclaration(options, kind, role),
    async observe(object, client, { log = silentLog }) {
      const isDeleting = object.metadata.deletionTimestamp !== undefined;
      if (isDeleting && object.metadata.finalizers?.includes(role.finalizer) !== true) {
        return { stop: 'being deleted, and no finalizer of this provider holds it' };
      }
      const observation = isDeleting ? await observeChildren(object, client, options) : toLivingStep(object, role);
      return { object, observation, client, log };
    },
    decide: (seen, now) => decideActuator(seen, role, now),
    report: (seen, outcomes, now) => reportActuator(seen, outcomes, { role, now }),
  };
}

async function observeChildren(
  owner: Unstructured,
  client: Reads,
  { group, version, children = defaultChildren }: Pick<ClusterActuatorOptions, 'group' | 'version' | 'children'>,
): Promise<ActuatorStep> {
  const { name, namespace } = owner.metadata;
  const where = withoutUndefined({ namespace });
  const labels = { [`${group}/cluster-name`]: name };
  const lists = await Promise.all(
    children.map(async kind => ({
      kind,
      answer: await client.list({ apiVersion: toApiVersion({ group, version }), kind, ...where, labels }),
    })),
  );
  return toDeletionStep({ owner, lists });
}

function toRole<Spec, Status>(options: ClusterActuatorOptions<Spec, Status>, kind: string): ActuatorRole {
  const { group, status } = options;
  const finalizer = options.finalizer ?? `${kind.toLowerCase()}.${group}`;
  if (finalizer === coreFinalizer) {
    throw new TypeError(
      `Options of provider ${kind} are not valid: finalizer: ${coreFinalizer} is that of Cluster API itself; give one of your own domain, such as example.com/cluster`,
    );
  }
  return {
    finalizer,
    status: statusFieldsOf(status),
    ...(status !== undefined && isFieldsSchema(status) ? { statusShape: status.shape } : {}),
    failure: group === coreGroup ? undefined : failurePaths,
    reconcile(context) {
      const parsed = parseSpec(context.object, options.spec);
      if (!parsed.ok) {
        throw new InvalidSpec(parsed.error);
      }
      const { value: spec } = parsed;
      return settle(() => options.reconcile({ ...toContext(context, options), spec }));
    },
    delete(context) {
      const parsed = parseSpec(context.object, options.spec);
      const spec = parsed.ok ? parsed.value : undefined;
      return settle(() => options.delete({ ...toContext(context, options), spec }));
    },
  };
}

function toContext<Spec, Status>(
  { object, client, log, now, abort, record }: Omit<BareContext, 'cluster'>,
  { status }: ClusterActuatorOptions<Spec, Status>,
): Omit<ActuatorContext<Spec, Status>, 'spec'> {
  return {
    cluster: object,
    status: readOwnStatus(object, status),
    client,
    log,
    now,
    abort,
    patchStatus: fields => record({ status: fields }),
  };
}

/** A returned RequeueAfter or Terminal has the same effect as a thrown one. */
async function settle(author: () => ActuatorAnswer): Promise<undefined> {
  const value = await askAuthor(author);
  if (value instanceof RequeueAfter || value instanceof Terminal) {
    throw value;
  }
  return undefined;
}

async function askAuthor(author: () => ActuatorAnswer): Promise<unknown> {
  try {
    return await author();
  } catch (thrown) {
    throw toIntent(thrown);
  }
}

function toDeclaration<Spec, Status>(
  options: ClusterActuatorOptions<Spec, Status>,
  kind: string,
  role: ActuatorRole,
): DeclarationOf<never> {
  const { group, version, name, children = defaultChildren } = options;
  const primary = { group, version, kind, scope: 'Namespaced' } as const;
  const failure = role.failure === undefined ? [] : ['errorReason', 'errorMessage'];
  const onChildren: PolicyRule = {
    apiGroups: [group],
    resources: children.map(pluralOf),
    verbs: ['list', 'delete'],
    why: 'deletes children before the Cluster',
  };
  return {
    name,
    primary,
    timeoutSeconds: options.timeoutSeconds ?? defaultTimeoutSeconds,
    fieldManager: name,
    eventSource: `${name}-controller`,
    owns: { conditions: [], v1beta1: [], status: [...failure, ...role.status] },
    ports: [],
    rules: [...toOwnRules(group, kind), ...(children.length === 0 ? [] : [onChildren]), ...(options.rules ?? [])],
    watches: [{ source: primary, as: 'metadata', map: ({ object }) => [nameOf(object)] }],
  };
}

/** v1alpha1 actuators requested a retry in the text of their error. */
const requeueText = /requeue in: ((?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+)/;

/** Returns the RequeueAfter that the text of an error requests. Returns any other value unchanged. */
function toIntent(thrown: unknown): unknown {
  if (findIntent(thrown) !== undefined || !(thrown instanceof Error)) {
    return thrown;
  }
  const nanoseconds = parseDuration(requeueText.exec(thrown.message)?.[1] ?? '');
  return nanoseconds === undefined ? thrown : new RequeueAfter(Number(nanoseconds) / 1e9, { cause: thrown });
}
