// The errors of validating a value against its schema, in the words of the kube-openapi library.
import { type FieldError, type FieldErrorType, quote, sortMembers } from '@capi-serverless/apimachinery';

export interface ValueProblem {
  readonly type: FieldErrorType;
  /** The path below the checked value: "", "a.b", "[0]". An empty path means the whole value. */
  readonly at: string;
  readonly value: unknown;
  readonly detail: string;
  /** Problems with the same text are reported once. */
  readonly text: string;
}

function problem(
  type: FieldErrorType,
  at: string,
  rest: Pick<ValueProblem, 'value' | 'detail'>,
  text?: string,
): ValueProblem {
  return { type, at, ...rest, text: text ?? rest.detail };
}

export function wrongType(at: string, expected: string, found: string): ValueProblem {
  return problem('Invalid type', at, {
    value: found,
    detail: `${at} in body must be of type ${expected}: ${quote(found)}`,
  });
}

export function missing(at: string): ValueProblem {
  return problem('Required value', at, { value: '', detail: '' }, `${at} in body is required`);
}

/** Any other violation. `what` begins with "should". */
export function violation(at: string, value: unknown, what: string): ValueProblem {
  return problem('Invalid value', at, { value, detail: `${at} in body ${what}` });
}

/** An error that is reported for the whole value. */
export function general(detail: string): ValueProblem {
  return problem('Invalid value', '', { value: '', detail });
}

/** `shown` are the choices as in the message. */
export function noChoice(at: string, value: unknown, shown: readonly string[]): ValueProblem {
  const detail = `supported values: ${shown.join(', ')}`;
  return problem(
    'Unsupported value',
    at,
    { value: sortMembers(value), detail },
    `${at} in body should be one of ${shown.join(' ')}`,
  );
}

/** `max` is a number of characters, although the text contains the word bytes. */
export function tooLong(at: string, max: number): ValueProblem {
  const detail = `may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`;
  return problem('Too long', at, { value: '', detail }, `${at} in body should be at most ${max} chars long`);
}

export function tooMany(at: string, limit: { readonly count: number; readonly max: number }, of: string): ValueProblem {
  const detail = `must have at most ${limit.max} ${limit.max === 1 ? 'item' : 'items'}`;
  return problem(
    'Too many',
    at,
    { value: limit.count, detail },
    `${at} in body should have at most ${limit.max} ${of}`,
  );
}

/** Returns each distinct text once, as errors of the value's field. */
export function toFieldErrors(problems: readonly ValueProblem[], field: string): readonly FieldError[] {
  const distinct = new Map<string, ValueProblem>();
  for (const each of problems) {
    if (!distinct.has(each.text)) {
      distinct.set(each.text, each);
    }
  }
  return [...distinct.values()].map(({ type, at, value, detail }) => {
    const below = at.startsWith('.') ? at.slice(1) : at;
    return { type, field: below === '' ? field : `${field}.${below}`, value, detail };
  });
}
