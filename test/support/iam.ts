// Evaluates requests against the IAM statements of a template. Pure. In doubt, a request is allowed: an Allow with a
// condition is applied, and a Deny with a condition is not.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic_policy-eval-basics.html

/** A statement in which every intrinsic function is resolved. */
export interface ResolvedStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Principal?: unknown;
  readonly Condition?: unknown;
}

export interface IamRequest {
  readonly action: string;
  /** The ARN of the resource. */
  readonly resource: string;
}

/** Throws on a statement with NotAction or NotResource, which this module does not evaluate. */
export function isAllowed(statements: readonly ResolvedStatement[], question: IamRequest): boolean {
  const fitting = statements.filter(statement => fits(statement, question));
  const isDenied = fitting.some(({ Effect, Condition }) => Effect === 'Deny' && Condition === undefined);
  return !isDenied && fitting.some(({ Effect }) => Effect === 'Allow');
}

function fits(statement: ResolvedStatement, { action, resource }: IamRequest): boolean {
  const { Action, Resource } = statement;
  if (Action === undefined || Resource === undefined) {
    throw new Error(`Cannot determine the resource of this statement: ${JSON.stringify(statement)}`);
  }
  return (
    toList(Action).some(pattern => matches(pattern.toLowerCase(), action.toLowerCase())) &&
    toList(Resource).some(pattern => matches(pattern, resource))
  );
}

/**
 * `*` matches any text, `?` any character:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html
 */
function matches(pattern: string, text: string): boolean {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's').test(text);
}

/** IAM accepts a single value or a list. */
export function toList<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : [value as T]; // true: a value that is not a list is a single value
}

/** Returns the service in an action or an ARN. */
export function serviceOf(text: string): string {
  const parts = text.split(':');
  return (parts[0] === 'arn' ? parts[2] : parts[0]) ?? '';
}
