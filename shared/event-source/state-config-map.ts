// The ConfigMap in which a scheduled function stores what its next run needs.
import { hash } from 'node:crypto';
import {
  type Answer,
  answered,
  type Kubernetes,
  type ObjectRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import type { PolicyRule } from '@capi-serverless/reconciler';
import * as z from 'zod/mini';

export interface StateOptions {
  readonly stateNamespace: string;
  /** "" selects every object. */
  readonly watchFilter: string;
}

export interface StoredState {
  readonly data: Readonly<Record<string, string>>;
  /** The resourceVersion of the ConfigMap. Undefined if the ConfigMap does not exist. */
  readonly resourceVersion: string | undefined;
}

const dataSchema = z.object({ data: z.optional(z.record(z.string(), z.string())) });

/** Each watch filter has its own ConfigMap, so that several deployments can share a management cluster. */
export function toStateRef(name: string, { stateNamespace: namespace, watchFilter }: StateOptions): ObjectRef {
  const suffix = watchFilter === '' ? '' : `-${hash('sha256', watchFilter, 'hex').slice(0, 8)}`;
  return { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: `${name}${suffix}` };
}

/**
 * The names of the ConfigMaps of the resync and of the windowed forwarder, without a watch filter. A list of ConfigMaps
 * contains them too, and each run writes its own.
 */
export const stateNames = {
  resync: 'capi-serverless-resync',
  windowedForwarder: 'capi-serverless-windowed-forwarder',
} as const;

/** Returns true for such a ConfigMap, of any deployment in this state namespace. */
export function isState(
  { kind, metadata: { namespace = '', name } }: Pick<Unstructured, 'kind' | 'metadata'>,
  { stateNamespace }: Pick<StateOptions, 'stateNamespace'>,
): boolean {
  return (
    kind === 'ConfigMap' &&
    namespace === stateNamespace &&
    Object.values(stateNames).some(state => name === state || name.startsWith(`${state}-`))
  );
}

/** A missing ConfigMap and unreadable data are treated as empty. */
export async function readState(kubernetes: Pick<Kubernetes, 'get'>, ref: ObjectRef): Promise<Answer<StoredState>> {
  const answer = await kubernetes.get(ref);
  if (!answer.ok) {
    return answer.missing ? answered({ data: {}, resourceVersion: undefined }) : answer;
  }
  const data = dataSchema.safeParse(answer.value).data?.data ?? {};
  return answered({ data, resourceVersion: answer.value.metadata.resourceVersion });
}

/**
 * Writes the entries that differ. Fails with Conflict or AlreadyExists if another run has written in the meantime (see
 * `isOvertaken`).
 */
export function writeState(
  kubernetes: Pick<Kubernetes, 'create' | 'mergePatch'>,
  ref: ObjectRef,
  { before, data }: { readonly before: StoredState; readonly data: StoredState['data'] },
): Promise<Answer<Unstructured>> {
  const { apiVersion, kind, name, namespace = '' } = ref;
  if (before.resourceVersion === undefined) {
    return kubernetes.create({ apiVersion, kind, metadata: { name, namespace }, data });
  }
  const gone = Object.keys(before.data).filter(key => !Object.hasOwn(data, key));
  const changed = Object.entries(data).filter(([key, text]) => before.data[key] !== text);
  const body = { data: Object.fromEntries([...gone.map(key => [key, null] as const), ...changed]) };
  return kubernetes.mergePatch(ref, body, { resourceVersion: before.resourceVersion });
}

/** Another run stored its state after it had sent all its messages. Therefore its state is equally valid. */
export function isOvertaken(reason: string): boolean {
  return reason === 'Conflict' || reason === 'AlreadyExists';
}

/**
 * Bind these rules only in the namespace of `CAPI_STATE_NAMESPACE`. This namespace must contain no ConfigMaps that
 * grant permissions. With a watch filter, the ConfigMap has another name.
 */
export function toStateRules(name: string, content: string): readonly PolicyRule[] {
  return [
    {
      why: `keeps ${content} in one ConfigMap`,
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: [name],
      verbs: ['get', 'patch'],
    },
    {
      why: 'creates it; a creation cannot be limited to a name',
      apiGroups: [''],
      resources: ['configmaps'],
      verbs: ['create'],
    },
  ];
}
