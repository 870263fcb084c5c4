// Looking conditions up by type, in lists of either family.

interface Typed {
  readonly type: string;
}

interface Stated extends Typed {
  readonly status: string;
}

interface Explained extends Typed {
  readonly reason?: string;
  readonly message?: string;
}

/** The first condition of that type; none for an absent list. */
export function getCondition<C extends Typed>(list: readonly C[] | undefined, type: string): C | undefined {
  return list?.find(condition => condition.type === type);
}

export function hasCondition(list: readonly Typed[] | undefined, type: string): boolean {
  return getCondition(list, type) !== undefined;
}

/** The condition exists and is True. */
export function isTrue(list: readonly Stated[] | undefined, type: string): boolean {
  return getCondition(list, type)?.status === 'True';
}

/** The condition exists and is False. */
export function isFalse(list: readonly Stated[] | undefined, type: string): boolean {
  return getCondition(list, type)?.status === 'False';
}

/** The condition is Unknown or does not exist. */
export function isUnknown(list: readonly Stated[] | undefined, type: string): boolean {
  const condition = getCondition(list, type);
  return condition === undefined || condition.status === 'Unknown';
}

/** The condition's reason; "" when there is none. */
export function reasonOf(list: readonly Explained[] | undefined, type: string): string {
  return getCondition(list, type)?.reason ?? '';
}

/** The condition's message; "" when there is none. */
export function messageOf(list: readonly Explained[] | undefined, type: string): string {
  return getCondition(list, type)?.message ?? '';
}
