// The definition of a runtime hook: name, request and response.
import type { JsonObject } from '@capi-serverless/apimachinery';
import type * as z from 'zod/mini';

/** Group and version of every hook. There is no other version, so nothing is converted. */
export const hooksGroup = 'hooks.runtime.cluster.x-k8s.io';
export const hooksVersion = 'v1alpha1';
export const hooksApiVersion = `${hooksGroup}/${hooksVersion}`;

/** Sent with every hook except Discovery. */
export type HookSettings = Readonly<Record<string, string>>;

/** The fields of every response. */
export interface HookResponse {
  readonly status: string;
  readonly message: string;
}

/** The response of a hook that can block. If retryAfterSeconds is 0, it does not block. */
export interface RetryResponse extends HookResponse {
  readonly retryAfterSeconds: number;
}

/** The answers of one pass. Keys are hook names. */
export type HookResponses = ReadonlyMap<string, RetryResponse>;

export interface Hook<Request extends object, Response extends HookResponse> {
  /** For example `BeforeClusterCreate`. The kind of the request is the name with the suffix `Request`. */
  readonly name: string;
  /**
   * Whether a response can block an operation. Such a hook is not treated as undefined while an ExtensionConfig exists
   * that was never discovered.
   */
  readonly blocking: boolean;
  /** Returns the fields of the request. */
  readonly encode: (request: Request) => JsonObject;
  /** Absent and null fields get their zero value. Unknown fields are dropped. */
  readonly response: z.ZodMiniType<Response>;
}

/** Any hook, without the types of its request and response. */
export type AnyHook = Pick<Hook<never, HookResponse>, 'name' | 'blocking'>;

/** Returns the name of a hook in messages, for example `BeforeClusterCreate.hooks.runtime.cluster.x-k8s.io`. */
export function toGroupHook(hook: Pick<AnyHook, 'name'>): string {
  return `${hook.name}.${hooksGroup}`;
}
