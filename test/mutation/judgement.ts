// Determines whether a set has failed. If all mutants were tested, the score must reach the minimum. For a sample, the
// bound is statistical.

/**
 * The probability that a sample of a set with exactly the lowest score fails. With 20 sets per run, this is one of
 * 50,000 runs.
 */
export const falseAlarm = 1e-6;

/**
 * Returns the minimum number of mutants of `tested` that must be detected.
 *
 * For all mutants, it is the lowest score itself. For a sample, it is the smallest x with P(X ≤ x) ≥ `falseAlarm`. X is
 * binomial with `tested` draws and the lowest score as probability. A sample is drawn without replacement, so its count
 * is hypergeometric. The lower tail of this distribution below the mean is thinner (Uhlmann 1966). A better set fails
 * even less often. So a failure means a lower score, not chance. A decrease that is smaller than the bound is found by
 * the full run of the set.
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

/** Returns the logarithm of P(X = `hits`). */
function logBinomial(draws: number, hits: number, probability: number): number {
  let log = hits * Math.log(probability) + (draws - hits) * Math.log1p(-probability);
  for (let index = 1; index <= hits; index += 1) {
    log += Math.log((draws - hits + index) / index);
  }
  return log;
}
