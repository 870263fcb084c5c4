// The outcome of a pure computation that expected input can make fail: the value, or the text of what was wrong.

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string };

export function valid<T>(value: T): Checked<T> {
  return { ok: true, value };
}

export function invalid<T = never>(error: string): Checked<T> {
  return { ok: false, error };
}

/** The same failure, or what `use` makes of the value. */
export function mapChecked<T, U>(checked: Checked<T>, use: (value: T) => U): Checked<U> {
  return checked.ok ? valid(use(checked.value)) : checked;
}
