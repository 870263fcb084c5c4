// The outcome of a hook call.

/**
 * The reason why a call failed. `configs`: the ExtensionConfigs could not be read. `unknown`: it is unknown whether an
 * ExtensionConfig implements this blocking hook. `handler`: the handler is not registered, or implements another hook.
 * `namespace`: the namespace is unreadable or not selected. `client`, `exchange`, `time`: see the port. `response`: the
 * extension did not answer with success.
 */
type HookFailureReason = 'configs' | 'unknown' | 'handler' | 'namespace' | 'client' | 'exchange' | 'time' | 'response';

export interface HookFailure {
  readonly ok: false;
  readonly why: HookFailureReason;
  /** The text for conditions and errors. It contains the handler and the cause. Every failure may be retried. */
  readonly error: string;
}

export type HookAnswer<T> = { readonly ok: true; readonly value: T } | HookFailure;

export function hookAnswered<T>(value: T): HookAnswer<T> {
  return { ok: true, value };
}

export function hookFailed(why: HookFailureReason, error: string): HookFailure {
  return { ok: false, why, error };
}
