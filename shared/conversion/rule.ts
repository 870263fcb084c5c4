// What the two versions of a struct do not have in common.

/**
 * - `move`: the same value in another field. The types say what happens to it: a duration becomes a number of seconds, an
 *   absent text and an empty one are the same, a number becomes a number that can be absent.
 * - `restore`: false or 0 becomes absent in the newer version, because the older version does not distinguish them. The
 *   annotation does.
 * - `moveItems`: a list. An empty list becomes absent.
 * - `template`: a reference to a template. It is always written in the older version.
 * - `failureDomains`: a map in the older version, and a list in the newer version.
 * - `phase`: the older version does not know the phase Updating.
 */
type Rule = 'move' | 'restore' | 'moveItems' | 'template' | 'failureDomains' | 'phase';

export interface FieldRule {
  readonly rule: Rule;
  /** The path in the older version. */
  readonly older: readonly string[];
  /** The path in the newer version. */
  readonly newer: readonly string[];
}

/** Rules by `<struct of the older version> <struct of the newer version>`. Fields with the same name need no rule. */
export type RuleTable = Readonly<Record<string, readonly FieldRule[]>>;

/** Declares rules as rows of `[path in the older version, path in the newer version]`. */
export function rows(rule: Rule, ...paths: readonly (readonly [older: string, newer: string])[]): readonly FieldRule[] {
  return paths.map(([older, newer]) => ({ rule, older: older.split('.'), newer: newer.split('.') }));
}

/** Declares rules for fields with the same name. */
export function same(rule: Rule, ...paths: readonly string[]): readonly FieldRule[] {
  return rows(rule, ...paths.map(path => [path, path] as const));
}

/** What is special for a whole kind in one older version. */
export interface KindRule {
  /** Conversions to the older version write the object into the annotation. */
  readonly hasAnnotation?: boolean;
  /** Fields of the newer version that come from the annotation, if there is one. */
  readonly fromAnnotation?: readonly string[];
  /** An object of the newer version that is always written. */
  readonly alwaysNewer?: string;
  /** The label of the Cluster stands for `spec.clusterName`. */
  readonly hasClusterLabel?: boolean;
}
