// What goes over the wire between Cluster API and an extension server.
// https://main.cluster-api.sigs.k8s.io/tasks/experimental/runtime-sdk/implement-extensions

/** The one version of all hooks that exists. */
export const hooksApiVersion = 'hooks.runtime.cluster.x-k8s.io/v1alpha1';

export interface HookRequest {
  readonly apiVersion: string;
  readonly kind: string;
  /** `spec.settings` of the ExtensionConfig, overridden by those of the ClusterClass. Absent for Discovery. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What the hook is about: `cluster`, `variables`, `items`. */
  readonly [field: string]: unknown;
}

export interface HookResponse {
  readonly status: 'Success' | 'Failure';
  /** Ends up in conditions of Clusters: it must not change from one call to the next when nothing else does. */
  readonly message?: string;
  /** Of hooks that can block: ask again after this long. 0: go on. */
  readonly retryAfterSeconds?: number;
  readonly [field: string]: unknown;
}

/** One handler, as Discovery tells of it. */
export interface Handler {
  /** A DNS label, unique in this server. */
  readonly name: string;
  readonly hook: string;
  /** 1 to 30; 10 when it is left out. */
  readonly timeoutSeconds?: number;
  /** Whether Clusters go on when this server cannot be reached. `Fail` when it is left out. */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** The same request may come any number of times, and must be answered alike. */
  answer(request: HookRequest): HookResponse | Promise<HookResponse>;
}

export function success(fields: Omit<HookResponse, 'status'> = {}): HookResponse {
  return { status: 'Success', ...fields };
}

export function failure(message: string): HookResponse {
  return { status: 'Failure', message };
}

/** The members of a JSON object; none for anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

/** The items of a JSON list; none for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
