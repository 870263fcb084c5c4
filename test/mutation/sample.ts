// Selects the mutants of a set that one run tests.
import { hash } from 'node:crypto';

export interface Sample {
  /** The probability with which each mutant is tested. 1 means all mutants. */
  readonly share: number;
  /** The seed and the set. Another text selects another sample. */
  readonly of: string;
}

const hexDigits = 12;

/**
 * Selects each mutant independently of the others. A part in source order could coincide with a pattern of the code.
 * The bound of a sample (`fewestNoticed`) is valid only for random samples.
 */
export function isInSample(mutantId: string, { share, of }: Sample): boolean {
  const digits = hash('sha256', `${of}/${mutantId}`).slice(0, hexDigits);
  return Number.parseInt(digits, 16) / 16 ** hexDigits < share;
}
