// The result and the conditions of a reconcile as short texts that tests compare.
import type { Result } from '@capi-serverless/reconciler';

interface AnyCondition {
  readonly type: string;
  readonly status: string;
  readonly severity?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

/** Returns the condition of this type in a list of either family, stored or computed. */
export function conditionIn(list: unknown, type: string): AnyCondition | undefined {
  const conditions = (list ?? []) as readonly AnyCondition[]; // true: nothing else is ever written to this field
  return conditions.find(condition => condition.type === type);
}

/**
 * Returns `True/Ready` or `False/Info/Deleted`, with a space and the message if there is one. Undefined without a
 * condition.
 */
export function conditionText(condition: AnyCondition | undefined): string | undefined {
  if (condition === undefined) {
    return undefined;
  }
  const { status, severity, reason, message } = condition;
  const head = [status, severity, reason].filter(part => part !== undefined).join('/');
  return message === undefined || message === '' ? head : `${head} ${message}`;
}

/** Returns `done`, `again`, `requeueAfter 5000`, or the error's text. */
export function resultText(result: Result): string {
  switch (result.kind) {
    case 'requeueAfter':
      return `requeueAfter ${result.ms}`;
    case 'failed':
      return result.error.message;
    case 'done':
    case 'again':
      return result.kind;
  }
}
