// What is wrong with rules, or with values by rules, in the words of the API server.

export type ProblemType =
  | 'Invalid value'
  | 'Required value'
  | 'Forbidden'
  | 'Duplicate value'
  | 'Unsupported value'
  | 'Internal error';

export interface Problem {
  readonly path: string;
  readonly type: ProblemType;
  /** What is printed between type and detail, where the type shows a value. */
  readonly value?: unknown;
  readonly detail: string;
}

export type Reason = 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';

export const typeOfReason: Readonly<Record<Reason, ProblemType>> = {
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueInvalid: 'Invalid value',
  FieldValueRequired: 'Required value',
};

export function isReason(text: string): text is Reason {
  return Object.hasOwn(typeOfReason, text);
}

/** A member of a described object. */
export function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** A free key, or a position. */
export function keyPath(path: string, key: string | number): string {
  return `${path}[${key}]`;
}
