// Maps with a maximum number of entries, which forget the oldest one.

/** Sets the entry as the newest one. If there are more than `most` entries, drops the oldest one and returns its value. */
export function setNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): Value | undefined {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map;
  if (map.size <= most || oldest === undefined) {
    return undefined;
  }
  map.delete(oldest[0]);
  return oldest[1];
}
