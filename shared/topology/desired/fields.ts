// Fields of desired objects. Presence decides who owns a field, so what says nothing must not be there.

export type Fields = Readonly<Record<string, unknown>>;

/** Only the fields that have a value. */
export function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The same; undefined where no field has a value. */
export function presentOrAbsent(fields: Fields): Fields | undefined {
  const kept = present(fields);
  return Object.keys(kept).length === 0 ? undefined : kept;
}

/** Undefined for an empty list: the API's own kinds leave it out. */
export function listOrAbsent(list: readonly unknown[] | undefined): readonly unknown[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

/** The value as the API's own kinds write it: objects lose what is null or empty, at any depth; lists stay as they are. */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) {
    return listOrAbsent(value);
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]) => [key, withoutEmpty(member)]);
    return presentOrAbsent(Object.fromEntries(members));
  }
  return value === null || value === '' ? undefined : value;
}
