// The budgets of the steps of `.ci/run` in processor seconds: user and system time with all child processes, on two cores
// without other load and with the real parts in the cache.

export const budgets: Readonly<Record<string, number>> = {
  simulation: 500,
  unit: 450,
  integration: 250,
  real: 200,
  'test:mutation': 180,
  'test:planted': 150,
  parity: 130,
  infra: 100,
  'local-run': 100,
  kill: 65,
  'test:fuzz': 60,
  packaging: 60,
  virtual: 55,
  'take-over': 45,
  ports: 35,
  lint: 20,
  typecheck: 20,
  synth: 10,
};

/** A step that needs more than this multiple of its budget fails. A busy or slow machine does not double the time. */
export const mostOverrun = 2;

export type Verdict = 'within' | 'over' | 'far over';

/** Steps without a budget build real parts, or take a second. */
export function judgeBudget(name: string, processorSeconds: number): Verdict {
  const budget = budgets[name] ?? Number.POSITIVE_INFINITY;
  if (processorSeconds <= budget) {
    return 'within';
  }
  return processorSeconds <= budget * mostOverrun ? 'over' : 'far over';
}
