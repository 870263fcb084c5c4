// Replaces `vitest` in test files while mutants run. It has the same functions, but collects the tests once, so that
// each mutant can run them again in the same process. A new Vitest run per mutant takes a second. This takes only the
// time of the tests.
export { expect } from 'vitest';

type Step = () => unknown;
type Each = (rows: readonly unknown[]) => (title: string, body: (...row: readonly unknown[]) => unknown) => void;

export interface Collected {
  readonly title: string;
  run(): Promise<void>;
}

interface Group {
  readonly titles: readonly string[];
  readonly before: readonly Step[][];
}

let collected: Collected[] = [];
let group: Group = { titles: [], before: [[]] };
let finishers: Step[] = [];

/** Returns the tests that the imported files declared since the last call. */
export function takeCollected(): readonly Collected[] {
  const taken = collected;
  collected = [];
  group = { titles: [], before: [[]] };
  return taken;
}

function describeGroup(title: string, body: () => void): void {
  const outer = group;
  group = { titles: [...outer.titles, title], before: [...outer.before, []] };
  body();
  group = outer;
}

const eachGroup: Each = rows => (title, body) => {
  for (const row of rows) {
    describeGroup(title, () => void (Array.isArray(row) ? body(...row) : body(row)));
  }
};

export const describe = Object.assign(describeGroup, { each: eachGroup });

export function beforeEach(step: Step): void {
  group.before.at(-1)?.push(step);
}

export function onTestFinished(step: Step): void {
  finishers.push(step);
}

/** The timeout may precede or follow the body. It is ignored, because the mutation run has its own timeout. */
function declare(title: string, ...rest: readonly (Step | object | number)[]): void {
  const { titles, before } = group;
  const body = rest.find((one): one is Step => typeof one === 'function');
  if (body === undefined) {
    throw new Error(`Test "${title}" has no body`);
  }
  collected.push({ title: [...titles, title].join(' > '), run: () => runOne(before.flat(), body) });
}

async function runOne(before: readonly Step[], body: Step): Promise<void> {
  finishers = [];
  try {
    for (const step of before) {
      await step();
    }
    await body();
  } finally {
    for (const step of finishers.toReversed()) {
      await step();
    }
  }
}

const each: Each = rows => (title, body) => {
  for (const row of rows) {
    declare(title, () => (Array.isArray(row) ? body(...row) : body(row)));
  }
};

export const it = Object.assign(declare, { each });
export const test = it;
