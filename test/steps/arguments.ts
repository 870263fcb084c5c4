// The arguments of `npm test`: the names of suites. Without names, all suites of `npm test` run.
import { UsageError } from '../../local/usage-error.ts';
import type { LaneStep } from './lanes.ts';

export interface Suites {
  /** The suites of `npm test`. */
  readonly lanes: readonly (readonly LaneStep[])[];
  /** The names of the scripts of package.json. */
  readonly scripts: readonly string[];
}

/** Returns the lanes with these suites only, or `help`. Throws UsageError for anything else than the name of a suite. */
export function chooseLanes(args: readonly string[], suites: Suites): readonly (readonly LaneStep[])[] | 'help' {
  if (args.includes('--help') || args.includes('-h')) {
    return 'help';
  }
  const names = namesIn(suites);
  for (const arg of args.filter(each => !names.includes(each))) {
    throw new UsageError(toProblem(arg, suites));
  }
  const isChosen = ({ name }: LaneStep): boolean => args.length === 0 || args.includes(name);
  return suites.lanes.map(lane => lane.filter(isChosen)).filter(lane => lane.length > 0);
}

export function toUsage(suites: Suites): string {
  const others = othersIn(suites).map(script => `  npm run ${script}`);
  return [
    'Usage: npm test [-- SUITE…]',
    '',
    'Runs these suites, or only the named ones:',
    `  ${namesIn(suites).join(' ')}`,
    '',
    'Runs one file: npx vitest run FILE',
    '',
    'These scripts are not part of npm test:',
    ...others,
    '',
    'docs/testing.md describes each suite.',
  ].join('\n');
}

function toProblem(arg: string, suites: Suites): string {
  if (arg.startsWith('-')) {
    return `npm test has no option ${arg}`;
  }
  if (arg.endsWith('.ts')) {
    return `npm test runs suites. For a file: npx vitest run ${arg}`;
  }
  const script = othersIn(suites).find(each => each === `test:${arg}`);
  return script === undefined
    ? `There is no suite ${arg}`
    : `The suite ${arg} is not part of npm test: npm run ${script}`;
}

function namesIn({ lanes }: Suites): readonly string[] {
  return lanes.flat().map(({ name }) => name);
}

function othersIn(suites: Suites): readonly string[] {
  const names = namesIn(suites);
  return suites.scripts.filter(script => script.startsWith('test:') && !names.includes(script.slice('test:'.length)));
}
