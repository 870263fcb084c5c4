// When a set has failed: below its lowest score if all mutants were tested, beyond chance if only a sample was.

/** The probability that a sample of a set that just reaches its lowest score fails. At 20 sets a run, that is once in 50,000 runs. */
export const falseAlarm = 1e-6;

/**
 * The fewest mutants of `tested` that must be noticed.
 *
 * All mutants: the lowest score itself. A sample: the smallest x with P(X ≤ x) ≥ `falseAlarm`, where X is binomial with `tested`
 * draws and the lowest score as probability. A sample is drawn without replacement, so its count is hypergeometric, whose lower
 * tail below the mean is thinner (Uhlmann 1966). A better set fails even less often. So a failure is a drop, not bad luck; a
 * drop that is smaller than the bound shows in the full run of the set.
 */
export function fewestNoticed(tested: number, lowestScore: number, isAll: boolean): number {
  const probability = lowestScore / 100;
  if (isAll) {
    return Math.ceil(tested * probability - 1e-9);
  }
  let cumulated = 0;
  for (let noticed = 0; noticed < tested; noticed += 1) {
    cumulated += Math.exp(logBinomial(tested, noticed, probability));
    if (cumulated >= falseAlarm) {
      return noticed;
    }
  }
  return tested;
}

/** The logarithm of P(X = `hits`). */
function logBinomial(draws: number, hits: number, probability: number): number {
  let log = hits * Math.log(probability) + (draws - hits) * Math.log1p(-probability);
  for (let index = 1; index <= hits; index += 1) {
    log += Math.log((draws - hits + index) / index);
  }
  return log;
}
