// What a call of hooks came to.

/**
 * `configs`: the ExtensionConfigs could not be read. `unknown`: some ExtensionConfig may serve this blocking hook, and
 * nobody knows. `handler`: not registered, or for another hook. `namespace`: it could not be read, or is not selected.
 * `client`, `exchange`, `time`: as in the port. `response`: the extension answered, and the answer is no success.
 */
export type HookFailureReason =
  | 'configs'
  | 'unknown'
  | 'handler'
  | 'namespace'
  | 'client'
  | 'exchange'
  | 'time'
  | 'response';

export interface HookFailure {
  readonly ok: false;
  readonly why: HookFailureReason;
  /** For conditions and errors: names the handler and what went wrong. Worth another try, whatever it is. */
  readonly error: string;
}

export type HookAnswer<T> = { readonly ok: true; readonly value: T } | HookFailure;

export function hookAnswered<T>(value: T): HookAnswer<T> {
  return { ok: true, value };
}

export function hookFailed(why: HookFailureReason, error: string): HookFailure {
  return { ok: false, why, error };
}
