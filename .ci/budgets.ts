// The budgets of the steps of `.ci/run` in processor seconds: user and system time with all child processes, on two cores
// without other load and with the real parts in the cache.

export const budgets: Readonly<Record<string, number>> = {
  simulation: 500,
  unit: 110,
  'unit-uncovered': 260,
  integration: 210,
  real: 200,
  'test:mutation': 180,
  'test:planted': 150,
  parity: 130,
  infra: 100,
  'local-run': 100,
  kill: 65,
  'test:fuzz': 60,
  packaging: 100,
  virtual: 55,
  'take-over': 45,
  ports: 35,
  lint: 20,
  typecheck: 20,
  synth: 10,
};

/**
 * All steps together may need at most this multiple of their budgets on the machine of the run. A change of many mutation
 * sets exceeds only the budget of its step.
 */
const mostOverrun = 2;

/** These steps read all sources once and run no code of the product, so they measure how slow the machine is. */
const measures: readonly string[] = ['lint', 'typecheck'];

interface Spent {
  readonly name: string;
  readonly processorSeconds: number;
}

/** Returns the reason why the run fails, or `undefined`. Steps without a budget build real parts, or take a second. */
export function overrunOf(steps: readonly Spent[]): string | undefined {
  const budgeted = steps.filter(({ name }) => budgets[name] !== undefined);
  const { spent, budget } = sumOf(budgeted);
  const slowness = slownessOf(budgeted);
  const machine = slowness === 1 ? '' : ` on a machine that is ${slowness.toFixed(1)} times slower`;
  return spent > mostOverrun * slowness * budget
    ? `the steps took ${spent} processor seconds, more than ${mostOverrun} times their budgets${machine}`
    : undefined;
}

function slownessOf(steps: readonly Spent[]): number {
  const { spent, budget } = sumOf(steps.filter(({ name }) => measures.includes(name)));
  return budget === 0 ? 1 : Math.max(1, spent / budget);
}

function sumOf(steps: readonly Spent[]): { readonly spent: number; readonly budget: number } {
  return {
    spent: steps.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0),
    budget: steps.reduce((sum, { name }) => sum + (budgets[name] ?? 0), 0),
  };
}
