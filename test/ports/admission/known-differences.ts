// The answers of the embedded API server that differ from those of upstream's webhooks on purpose, with their reasons.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@capi-serverless/apimachinery';
import type { ComparableAnswer } from './comparable-answer.ts';

export interface ComparedReview {
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
