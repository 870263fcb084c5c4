// The JSON messages between Cluster API and an extension server.
// https://main.cluster-api.sigs.k8s.io/tasks/experimental/runtime-sdk/implement-extensions

/** The only version of all hooks. */
export const hooksApiVersion = 'hooks.runtime.cluster.x-k8s.io/v1alpha1';

export interface HookRequest {
  readonly apiVersion: string;
  readonly kind: string;
  /** The `spec.settings` of the ExtensionConfig. Settings of the ClusterClass have precedence. Absent in Discovery. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The fields of the hook: `cluster`, `variables`, `items`. */
  readonly [field: string]: unknown;
}

export interface ExtensionResponse {
  readonly status: 'Success' | 'Failure';
  /** Shown in conditions of Clusters. It must be stable as long as nothing else changes. */
  readonly message?: string;
  /** Only for blocking hooks: the seconds until the next call. 0 means that the hook does not block. */
  readonly retryAfterSeconds?: number;
  readonly [field: string]: unknown;
}

/** One handler, as Discovery reports it. */
export interface Handler {
  /** A DNS label, unique in this server. */
  readonly name: string;
  readonly hook: string;
  /** The timeout in seconds. 1 to 30, default 10. */
  readonly timeoutSeconds?: number;
  /** Whether Clusters continue if this server is unavailable. Default: `Fail`. */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** Must be idempotent: a request may be repeated and needs the same response. */
  answer(request: HookRequest): ExtensionResponse | Promise<ExtensionResponse>;
}

export function success(fields: Omit<ExtensionResponse, 'status'> = {}): ExtensionResponse {
  return { status: 'Success', ...fields };
}

export function failure(message: string): ExtensionResponse {
  return { status: 'Failure', message };
}

/** Returns the members of a JSON object. Empty for other values. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

/** Returns the items of a JSON list. Empty for other values. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
