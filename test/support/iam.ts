// Evaluates requests against the IAM statements of a template. Pure. Errs towards allowing: an Allow with a condition applies, a
// Deny with a condition does not.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic_policy-eval-basics.html

/** A statement with every intrinsic function resolved. */
export interface ResolvedStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Principal?: unknown;
  readonly Condition?: unknown;
}

export interface Question {
  readonly action: string;
  /** An ARN. */
  readonly resource: string;
}

/** Throws on a statement with NotAction or NotResource, which this module does not evaluate. */
export function isAllowed(statements: readonly ResolvedStatement[], question: Question): boolean {
  const fitting = statements.filter(statement => fits(statement, question));
  const isDenied = fitting.some(({ Effect, Condition }) => Effect === 'Deny' && Condition === undefined);
  return !isDenied && fitting.some(({ Effect }) => Effect === 'Allow');
}

function fits(statement: ResolvedStatement, { action, resource }: Question): boolean {
  const { Action, Resource } = statement;
  if (Action === undefined || Resource === undefined) {
    throw new Error(`Cannot tell what this statement is about: ${JSON.stringify(statement)}`);
  }
  return (
    toList(Action).some(pattern => matches(pattern.toLowerCase(), action.toLowerCase())) &&
    toList(Resource).some(pattern => matches(pattern, resource))
  );
}

/** `*` is any text, `?` any character: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html */
function matches(pattern: string, text: string): boolean {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's').test(text);
}

/** IAM accepts a single value or a list. */
export function toList<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : [value as T]; // a value that is not a list is a single one
}

/** The service that an action or an ARN belongs to. */
export function serviceOf(text: string): string {
  const parts = text.split(':');
  return (parts[0] === 'arn' ? parts[2] : parts[0]) ?? '';
}
