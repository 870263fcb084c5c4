// What a runtime hook is: its name, what is sent, what must come back.
import type * as z from 'zod/mini';

/** Group and version of every hook there is: no other version exists, so nothing is ever converted. */
export const hooksGroup = 'hooks.runtime.cluster.x-k8s.io';
export const hooksVersion = 'v1alpha1';
export const hooksApiVersion = `${hooksGroup}/${hooksVersion}`;

export type Fields = Readonly<Record<string, unknown>>;

/** Sent with every call but Discovery. */
export type HookSettings = Readonly<Record<string, string>>;

/** What every response holds. */
export interface HookResponse {
  readonly status: string;
  readonly message: string;
}

/** The response of a hook that may ask to be called again; 0: it does not block. */
export interface RetryResponse extends HookResponse {
  readonly retryAfterSeconds: number;
}

export interface Hook<Request extends object, Response extends HookResponse> {
  /** `BeforeClusterCreate`; the kind of its request is this and `Request`. */
  readonly name: string;
  /**
   * Whether a response, or its absence, can hold something up. Such a hook is not taken for "not defined" while an
   * ExtensionConfig is there that was never discovered.
   */
  readonly blocking: boolean;
  /** The fields of the request as they are sent. */
  readonly encode: (request: Request) => Fields;
  /** Absent and null fields take their zero value; unknown fields are dropped. */
  readonly response: z.ZodMiniType<Response>;
}

/** Any hook, where only its name and the like matter. */
export type AnyHook = Pick<Hook<never, HookResponse>, 'name' | 'blocking'>;

/** `BeforeClusterCreate.hooks.runtime.cluster.x-k8s.io`: how messages name a hook. */
export function toGroupHook(hook: Pick<AnyHook, 'name'>): string {
  return `${hook.name}.${hooksGroup}`;
}
