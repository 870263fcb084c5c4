// The differences between a recording and the recorded state of upstream's controllers, as text.
import type { ParityScenario } from './corpus.ts';
import type { SnapshotDifference } from './corpus-code.ts';

/** The maximum number of printed differences. */
const mostShown = 40;

/**
 * Returns "" if there are no differences. The text begins with the first complete difference and the command that plays
 * only this scenario.
 */
export function toText(
  scenario: Pick<ParityScenario, 'folder' | 'title'>,
  differences: readonly SnapshotDifference[],
  testFile: string,
): string {
  const [first, ...others] = differences;
  if (first === undefined) {
    return '';
  }
  const { snapshot, object, field } = toPlace(first.path);
  const name = scenario.folder.split('/').at(-1) ?? scenario.folder;
  return [
    `${scenario.folder} (${scenario.title}) differs from upstream in ${differences.length} place(s)`,
    `scenario  ${scenario.folder}, snapshot "${snapshot}"`,
    `object    ${object}`,
    `field     ${field}`,
    `expected  ${toShown(first.expected)}`,
    `actual    ${toShown(first.actual)}`,
    `replay    CAPI_PARITY_SCENARIOS='^${name}$' npx vitest run ${testFile}`,
    ...others.slice(0, mostShown).flatMap(toLines),
    ...(others.length > mostShown ? [`… and ${others.length - mostShown} more`] : []),
  ].join('\n');
}

function toLines({ path, expected, actual }: SnapshotDifference): readonly string[] {
  return [path, `  expected ${toShown(expected)}`, `  actual   ${toShown(actual)}`];
}

/** Examples: `created: Cluster/c1.status.phase`, `created: events: Cluster/c1 Normal …`, `writes.create.Secret`. */
function toPlace(path: string) {
  const { snapshot = '(end)', rest = path } = /^(?<snapshot>[^:]*): (?<rest>.*)$/s.exec(path)?.groups ?? {};
  const [object = rest] = /^[A-Za-z]+\/[^.[ ]+/.exec(rest) ?? /^[^.:[]+/.exec(rest) ?? [];
  return { snapshot, object, field: rest.slice(object.length).replace(/^[.: ]+/, '') || '(the object)' };
}

function toShown(value: unknown): string {
  if (value === undefined) {
    return '(absent)';
  }
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('\n', '\n            ');
}
