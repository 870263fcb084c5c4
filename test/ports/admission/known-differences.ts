// The answers of the admission function that differ from those of upstream's webhooks on purpose, with their reasons.
import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, sameJson } from '@capi-serverless/apimachinery';
import type { ComparableAnswer } from './comparable-answer.ts';

export interface ComparedReview {
  /** What is compared with upstream. */
  readonly by: 'function' | 'embedded';
  readonly hook: 'mutate' | 'validate';
  readonly object: JsonObject;
  readonly old: JsonObject | undefined;
  readonly theirs: ComparableAnswer;
  readonly ours: ComparableAnswer;
}

interface KnownDifference {
  readonly what: string;
  readonly reason: string;
  matches(compared: ComparedReview): boolean;
}

const versionOf = (object: JsonObject): string => String(Object(Object(object['spec']).topology).version ?? 'v');

const metadataOf = (object: JsonObject | undefined): JsonObject => Object(object?.['metadata']);

/** The first one that matches counts. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    what: 'An object that is being deleted may be changed',
    reason: 'its finalizers must go although it is no longer valid; upstream refuses that',
    matches: ({ old, ours }) => metadataOf(old)['deletionTimestamp'] !== undefined && ours.allowed,
  },
  {
    what: 'A MachineSet or MachineDeployment with a generated name and without a selector is refused',
    reason: 'its selector would contain an empty name, as that of every other such object',
    matches: ({ object, ours }) => metadataOf(object)['name'] === undefined && /generateName/.test(ours.message ?? ''),
  },
  {
    what: 'A field of a wrong type is refused by the schema, with the field and the expected type',
    reason: 'upstream decodes the whole object before its defaults; here, defaults leave such a field as it is',
    matches: ({ hook, ours, theirs }) => hook === 'mutate' && theirs.code === 400 && ours.allowed,
  },
  {
    what: 'The text about a field of a wrong type, or another problem of the same object',
    reason: "upstream's text names types of Go; here, only the fields that defaults change are read",
    matches: ({ ours, theirs }) => theirs.code === 400 && !ours.allowed,
  },
  {
    what: 'An update of a ClusterClass that keeps its spec is allowed, whatever its Clusters use',
    reason: 'it cannot break them, and the Clusters of all namespaces need not be read',
    matches: ({ object, old, ours, theirs }) =>
      object['kind'] === 'ClusterClass' && sameJson(object['spec'], old?.['spec']) && isSubset(ours, theirs),
  },
  {
    what: 'The validation of a Cluster reads its version as its default hook writes it',
    reason: 'an API server validates what the default hook returns, so the version has its prefix',
    matches: ({ hook, object }) => hook === 'validate' && /^[^v]/.test(versionOf(object)),
  },
  {
    what: 'The text of a variable without value',
    reason: 'upstream shows "" or "null", as its decoder and its defaults left the value',
    matches: ({ ours, theirs }) => sameWithout(/Invalid value: "(null)?"/g, ours, theirs),
  },
  {
    what: 'A selector of a patch that is switched off is not shown',
    reason: 'the text shows the whole patch, and false is the default',
    matches: ({ ours, theirs }) =>
      sameWithout(/Invalid value: .*$/s, ours, theirs) && offFlag.test(String(theirs.causes)),
  },
];

/** One has no other causes than the other. Values are not compared, because patches are shown in two forms. */
function isSubset(one: ComparableAnswer, other: ComparableAnswer): boolean {
  const [less, more] = [one, other].map(({ causes }) => causes.map(cause => cause.replace(/Invalid value: .*: /s, '')));
  return one.causes.length < other.causes.length && less?.every(cause => more?.includes(cause)) === true;
}

const offFlag = /(controlPlane|infrastructureCluster)\\?": ?false/;

/** Texts of causes are compared without these parts, and the number of characters is not. */
function sameWithout(part: RegExp, one: ComparableAnswer, other: ComparableAnswer): boolean {
  const [left, right] = [one, other].map(({ causes }) => causes.map(cause => cause.replaceAll(globalOf(part), '')));
  return one.code === other.code && one.causes.length > 0 && isDeepStrictEqual(left?.toSorted(), right?.toSorted());
}

function globalOf(part: RegExp): RegExp {
  return new RegExp(part.source, [...new Set(`${part.flags}g`)].join(''));
}

/** Returns what differs, or `undefined`. */
export function knownDifferenceOf(compared: ComparedReview): string | undefined {
  return knownDifferences.find(difference => difference.matches(compared))?.what;
}
