// The result type of computations that can fail on expected input. It contains the value or the error, usually a text.

export type Checked<T, E = string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

export function valid<T, E = never>(value: T): Checked<T, E> {
  return { ok: true, value };
}

export function invalid<T = never, E = string>(error: E): Checked<T, E> {
  return { ok: false, error };
}

/** Returns the failure unchanged, or `use` applied to the value. */
export function mapChecked<T, U, E>(checked: Checked<T, E>, use: (value: T) => U): Checked<U, E> {
  return checked.ok ? valid(use(checked.value)) : checked;
}

/** Returns the failure unchanged, or the result of the next check of the value. */
export function andThen<T, U, E>(checked: Checked<T, E>, next: (value: T) => Checked<U, E>): Checked<U, E> {
  return checked.ok ? next(checked.value) : checked;
}

/** Returns the value unchanged, or the failure with a prefix. */
export function prefixed<T>(checked: Checked<T>, prefix: string): Checked<T> {
  return checked.ok ? checked : invalid(`${prefix}: ${checked.error}`);
}

/** Returns the values in order, or the first failure. */
export function allInOrder<T, E = string>(list: readonly Checked<T, E>[]): Checked<readonly T[], E> {
  const values: T[] = [];
  for (const each of list) {
    if (!each.ok) {
      return each;
    }
    values.push(each.value);
  }
  return valid(values);
}

/** Returns the values under the same names, or the first failure in the order of the names. */
export function all<Parts extends Readonly<Record<string, unknown>>>(
  parts: {
    readonly [Name in keyof Parts]: Checked<Parts[Name]>;
  },
): Checked<Parts> {
  const entries: readonly (readonly [string, Checked<unknown>])[] = Object.entries(parts);
  const values = allInOrder(entries.map(([name, checked]) => mapChecked(checked, value => [name, value] as const)));
  return mapChecked(values, list => Object.fromEntries(list) as Parts); // True: it has a value for each name.
}
