// Look-up of conditions by type, in lists of either family.

interface Typed {
  readonly type: string;
}

interface Stated extends Typed {
  readonly status: string;
}

interface Explained extends Typed {
  readonly reason?: string;
}

/** Returns the first condition of this type. Returns none for an absent list. */
export function getCondition<C extends Typed>(list: readonly C[] | undefined, type: string): C | undefined {
  return list?.find(condition => condition.type === type);
}

export function hasCondition(list: readonly Typed[] | undefined, type: string): boolean {
  return getCondition(list, type) !== undefined;
}

/** Returns true if the condition exists and is True. */
export function isTrue(list: readonly Stated[] | undefined, type: string): boolean {
  return getCondition(list, type)?.status === 'True';
}

/** Returns true if the condition exists and is False. */
export function isFalse(list: readonly Stated[] | undefined, type: string): boolean {
  return getCondition(list, type)?.status === 'False';
}

/** Returns the reason of the condition, or "" if there is none. */
export function reasonOf(list: readonly Explained[] | undefined, type: string): string {
  return getCondition(list, type)?.reason ?? '';
}
