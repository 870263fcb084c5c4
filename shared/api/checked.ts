// The outcome of a pure computation that expected input can make fail: the value, or the text of what was wrong.

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string };

export function valid<T>(value: T): Checked<T> {
  return { ok: true, value };
}

export function invalid<T = never>(error: string): Checked<T> {
  return { ok: false, error };
}
