// Problems of rules, and of values that break rules, in the wording of the API server.

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
  /** The value between type and detail, for types that print a value. */
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

/** Returns the path of a declared member. */
export function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Returns the path of a map key or an index. */
export function keyPath(path: string, key: string | number): string {
  return `${path}[${key}]`;
}
