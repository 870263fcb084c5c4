// Adds up the counters that objects report.

/** Returns `undefined` if no object reports the counter. */
export function sumOfReported(counters: readonly (number | undefined)[]): number | undefined {
  const reported = counters.filter(counter => counter !== undefined);
  return reported.length === 0 ? undefined : reported.reduce((total, counter) => total + counter, 0);
}
