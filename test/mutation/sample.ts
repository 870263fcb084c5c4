// Which mutants of a set one run tests.
import { hash } from 'node:crypto';

export interface Sample {
  /** The probability with which each mutant is tested; 1: all of them. */
  readonly share: number;
  /** Seed and set. Another text draws another sample. */
  readonly of: string;
}

const hexDigits = 12;

/**
 * Draws each mutant independently of the others. A part in source order could coincide with a pattern of the code, and the bound
 * of a sample (`fewestNoticed`) holds for random samples only.
 */
export function isInSample(mutantId: string, { share, of }: Sample): boolean {
  const digits = hash('sha256', `${of}/${mutantId}`).slice(0, hexDigits);
  return Number.parseInt(digits, 16) / 16 ** hexDigits < share;
}
