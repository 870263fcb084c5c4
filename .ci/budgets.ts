// The budgets of the steps of `.ci/run` in processor seconds: user and system time with all child processes, on two cores
// without other load and with the real parts in the cache.

export const budgets: Readonly<Record<string, number>> = {
  simulation: 500,
  unit: 450,
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
 * All steps together may need at most this multiple of their budgets. A busy or slow machine does not double the time, and
 * a change of many mutation sets exceeds only the budget of its step.
 */
const mostOverrun = 2;

interface Spent {
  readonly name: string;
  readonly processorSeconds: number;
}

/** Returns the reason why the run fails, or `undefined`. Steps without a budget build real parts, or take a second. */
export function overrunOf(steps: readonly Spent[]): string | undefined {
  const budgeted = steps.filter(({ name }) => budgets[name] !== undefined);
  const spent = budgeted.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0);
  const most = mostOverrun * budgeted.reduce((sum, { name }) => sum + (budgets[name] ?? 0), 0);
  return spent > most
    ? `the steps took ${spent} processor seconds, more than ${mostOverrun} times their budgets`
    : undefined;
}
