// A definition is served after its names are accepted. They must be unique among the accepted definitions of its group.

import { type Instant, isJsonObject, type JsonObject, memberOf } from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import type { Stored } from './object.ts';

/** The names in URLs and commands, and the names in objects. Each must be unique within its set. */
const typed = ['plural', 'singular', 'shortNames'] as const;
const carried = ['kind', 'listKind'] as const;

const reasons = {
  plural: 'PluralConflict',
  singular: 'SingularConflict',
  shortNames: 'ShortNamesConflict',
  kind: 'KindConflict',
  listKind: 'ListKindConflict',
} as const;

interface Why {
  readonly reason: string;
  readonly message: string;
  readonly time: string;
}

type Member = keyof typeof reasons;

/** Returns true if the kind of the definition is or was served. */
export function isEstablished(definition: Stored): boolean {
  return conditionsOf(definition.status).some(
    each => memberOf(each, 'type') === 'Established' && memberOf(each, 'status') === 'True',
  );
}

/** Returns the status with its names and conditions, computed from the other definitions. Other fields are kept. */
export function acceptNames(
  { spec, status }: { readonly spec?: unknown; readonly status?: unknown },
  others: readonly Stored[],
  now: Instant,
): JsonObject {
  const names = memberOf(spec, 'names');
  const group = memberOf(spec, 'group');
  const ofGroup = others.filter(other => memberOf(other.spec, 'group') === group);
  const clash = (members: readonly Member[]): readonly Member[] => {
    const taken = new Set(ofGroup.flatMap(other => members.flatMap(member => wordsOf(acceptedOf(other), member))));
    return members.filter(member => wordsOf(names, member).some(word => taken.has(word)));
  };
  const clashes = [...clash(typed), ...clash(carried)];
  const accepted = Object.entries(isJsonObject(names) ? names : {}).filter(
    ([member]) => !clashes.some(one => one === member),
  );
  const last = clashes.at(-1);
  const time = toTimestamp(now);
  const conditions =
    last === undefined
      ? [
          condition('NamesAccepted', 'True', { reason: 'NoConflicts', message: 'no conflicts found', time }),
          condition('Established', 'True', {
            reason: 'InitialNamesAccepted',
            message: 'the initial names have been accepted',
            time,
          }),
        ]
      : [
          condition('NamesAccepted', 'False', {
            reason: reasons[last],
            message: `${JSON.stringify(wordsOf(names, last).join())} is already in use`,
            time,
          }),
          condition('Established', 'False', { reason: 'NotAccepted', message: 'not all names are accepted', time }),
        ];
  const kept = conditionsOf(status).filter(each => !conditions.some(one => one['type'] === memberOf(each, 'type')));
  return {
    ...(isJsonObject(status) ? status : {}),
    acceptedNames: { plural: '', kind: '', ...Object.fromEntries(accepted) },
    conditions: [...conditions, ...kept],
  };
}

function condition(type: string, status: 'True' | 'False', why: Why): JsonObject {
  return { type, status, lastTransitionTime: why.time, reason: why.reason, message: why.message };
}

function acceptedOf(definition: Stored): unknown {
  return memberOf(definition.status, 'acceptedNames');
}

function wordsOf(names: unknown, member: Member): readonly unknown[] {
  const value = memberOf(names, member);
  return (Array.isArray(value) ? value : [value]).filter(word => word !== undefined && word !== '');
}

function conditionsOf(status: unknown): readonly unknown[] {
  const conditions = memberOf(status, 'conditions');
  return Array.isArray(conditions) ? conditions : [];
}
