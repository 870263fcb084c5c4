// The message of an aggregate: objects by message, with the worst message first within each kind. At most three
// messages are complete.
import { compareText, groupBy, pluralKind } from '@capi-serverless/apimachinery';
import { indentMessage } from './indent.ts';
import { type Owner, type Priority, priorities, type Ranked } from './merge-state.ts';

/** The number of messages that are printed with their objects, for all kinds together. */
const shownMessages = 3;
/** The number of objects that are named per message. */
const namedObjects = 3;

interface Group {
  readonly message: string;
  readonly owners: readonly Owner[];
  /** The index in `priorities`. It is the worst among all objects with this text, of any kind. */
  readonly rank: number;
  /** Whether an object with this text is a control plane Machine. */
  readonly goesFirst: boolean;
}

const closings: Readonly<Record<Priority, string>> = {
  Issue: 'with other issues',
  Unknown: 'with status unknown',
  Info: 'with additional info',
};

/** Returns issues and unknowns with all their messages. Without any, returns the infos with a message. */
export function aggregateMessage(ranked: readonly Ranked[]): string {
  const pressing = ranked.filter(({ priority }) => priority !== 'Info');
  const reporters = pressing.length > 0 ? pressing : ranked.filter(({ condition }) => condition.message !== '');
  const kinds = [...new Set(reporters.map(({ owner }) => owner.kind))].toSorted(compareText);
  const lines: string[] = [];
  let budget = shownMessages;
  for (const kind of kinds) {
    const groups = groupsOf(kind, reporters);
    lines.push(...groups.slice(0, budget).map(group => toBullet(kind, group)));
    lines.push(...toClosings(kind, groups.slice(budget)));
    budget = Math.max(budget - groups.length, 0);
  }
  return lines.join('\n');
}

function groupsOf(kind: string, reporters: readonly Ranked[]): readonly Group[] {
  const byMessage = groupBy(reporters, ({ condition }) => condition.message);
  return [...byMessage]
    .map(
      ([message, all]): Group => ({
        message,
        owners: all.map(({ owner }) => owner).filter(owner => owner.kind === kind),
        rank: Math.min(...all.map(({ priority }) => priorities.indexOf(priority))),
        goesFirst: all.some(({ owner }) => owner.isControlPlaneMachine),
      }),
    )
    .filter(({ owners }) => owners.length > 0)
    .toSorted(compareGroups);
}

function compareGroups(a: Group, b: Group): number {
  return (
    Number(b.goesFirst) - Number(a.goesFirst) ||
    a.rank - b.rank ||
    b.owners.length - a.owners.length ||
    compareText(toSortKey(a), toSortKey(b))
  );
}

/** Sorts by name, so that the order of the input has no effect. */
function toSortKey({ owners }: Group): string {
  return owners
    .map(({ name }) => name)
    .toSorted(compareText)
    .join(',');
}

function toBullet(kind: string, { owners, message }: Group): string {
  const names = owners
    .toSorted(
      (a, b) => Number(b.isControlPlaneMachine) - Number(a.isControlPlaneMachine) || compareText(a.name, b.name),
    )
    .map(({ name }) => name);
  const more = names.length > namedObjects ? `, ... (${names.length - namedObjects} more)` : '';
  return `* ${toNoun(kind, names.length)} ${names.slice(0, namedObjects).join(', ')}${more}:${indentMessage(message)}`;
}

function toClosings(kind: string, groups: readonly Group[]): readonly string[] {
  return priorities.flatMap((priority, rank) => {
    const count = groups.filter(group => group.rank === rank).flatMap(({ owners }) => owners).length;
    return count === 0 ? [] : [`And ${count} ${toNoun(kind, count)} ${closings[priority]}`];
  });
}

function toNoun(kind: string, count: number): string {
  return count === 1 ? kind : pluralKind(kind);
}
