// Merges conditions of the deprecated family: `Ready` of one object from its other conditions, or one condition of an owner
// from `Ready` of its objects.

import { compareText, withoutUndefined } from '@capi-serverless/apimachinery';
import type { V1Beta1Draft } from './condition.ts';
import { getCondition } from './get.ts';
import { v1Beta1True } from './v1beta1.ts';

interface V1Beta1SummaryOptions {
  /** The types to merge, most significant first. Default: all except `Ready`, by name. */
  readonly types?: readonly string[];
  /** The types whose good status is False. */
  readonly negativePolarity?: readonly string[];
}

/**
 * The combination with the lowest rank determines the result. A combination that is not listed has the highest rank.
 */
const ranks: Readonly<Record<string, number>> = {
  'False/Error': 0,
  'False/Warning': 1,
  'False/Info': 2,
  'True/': 3,
  'Unknown/': 4,
};
const lastRank = 99;

/** Returns `Ready` from the worst of the given types, or nothing if none of them exists. */
export function summarizeV1Beta1(
  list: readonly V1Beta1Draft[] | undefined,
  options: V1Beta1SummaryOptions = {},
): V1Beta1Draft | undefined {
  const scope = inScope(list ?? [], options.types).map(condition => withoutPolarity(condition, options));
  const [decisive] = scope.toSorted((a, b) => rankOf(a) - rankOf(b));
  if (decisive === undefined) {
    return undefined;
  }
  if (decisive.status === 'True') {
    return v1Beta1True('Ready');
  }
  const { severity, reason, message } = decisive;
  const cause = { ...withoutUndefined({ reason, message }) };
  return decisive.status === 'False'
    ? { type: 'Ready', status: 'False', ...withoutUndefined({ severity }), ...cause }
    : { type: 'Ready', status: 'Unknown', ...cause };
}

function inScope(list: readonly V1Beta1Draft[], types: readonly string[] | undefined): readonly V1Beta1Draft[] {
  const candidates = list.filter(({ type }) => type !== 'Ready');
  if (types === undefined) {
    return candidates.toSorted((a, b) => compareText(a.type, b.type));
  }
  return types.flatMap(type => candidates.filter(condition => condition.type === type));
}

function withoutPolarity(condition: V1Beta1Draft, { negativePolarity = [] }: V1Beta1SummaryOptions): V1Beta1Draft {
  const opposites: Readonly<Record<string, string>> = { True: 'False', False: 'True' };
  const status = negativePolarity.includes(condition.type) ? opposites[condition.status] : undefined;
  return status === undefined ? condition : { ...condition, status };
}

function rankOf({ status, severity = '' }: V1Beta1Draft): number {
  return ranks[`${status}/${status === 'False' ? severity : ''}`] ?? lastRank;
}

export interface V1Beta1Source {
  readonly kind: string;
  readonly name: string;
  readonly conditions: readonly V1Beta1Draft[];
}

/**
 * Returns the condition of an owner from `Ready` of its objects, or nothing if none of them has it. An object that is not
 * ready is named in the reason. Without objects, the condition is True.
 */
export function aggregateV1Beta1(type: string, sources: readonly V1Beta1Source[]): V1Beta1Draft | undefined {
  if (sources.length === 0) {
    return v1Beta1True(type);
  }
  const ready = sources.flatMap(source => {
    const condition = getCondition(source.conditions, 'Ready');
    return condition === undefined ? [] : [{ source, condition }];
  });
  const [decisive] = ready.toSorted(
    (a, b) => rankOf(a.condition) - rankOf(b.condition) || compareText(a.source.name, b.source.name),
  );
  if (decisive === undefined) {
    return undefined;
  }
  const { source, condition } = decisive;
  if (condition.status === 'True') {
    return v1Beta1True(type);
  }
  const done = ready.filter(each => each.condition.status === 'True').length;
  const reason = localized(condition.reason ?? '', source);
  const message = `${done} of ${sources.length} completed`;
  const { severity } = condition;
  return condition.status === 'False'
    ? { type, status: 'False', ...withoutUndefined({ severity }), reason, message }
    : { type, status: 'Unknown', reason, message };
}

/** A reason that already names an object is not changed. */
function localized(reason: string, { kind, name }: V1Beta1Source): string {
  return reason.includes('@') ? reason : `${reason} @ ${kind}/${name}`;
}
