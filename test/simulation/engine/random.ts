// A seeded random number generator (sfc32, https://pracrand.sourceforge.net/RNG_engines.txt).
import { hash } from 'node:crypto';

export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  /** Returns a whole number in [0, limit). */
  below(limit: number): number;
  /** Returns a number in [from, to). */
  between(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
  /** Returns a UUID of version 4. */
  uuid(): string;
  /** Returns an independent generator. Values from one generator do not affect the other. */
  fork(label: string): Random;
}

export function createRandom(seed: string): Random {
  const digest = hash('sha256', seed, 'hex');
  let [a, b, c, counter] = [0, 8, 16, 24].map(at => Number.parseInt(digest.slice(at, at + 8), 16)) as [
    number,
    number,
    number,
    number,
  ]; // true: a list of four becomes a list of four
  const word = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  const next = (): number => word() / 2 ** 32;
  const hex = (): string => word().toString(16).padStart(8, '0');
  return {
    next,
    below: limit => Math.floor(next() * limit),
    between: (from, to) => from + next() * (to - from),
    chance: probability => next() < probability,
    pick: ([first, ...others]) => [first, ...others][Math.floor(next() * (others.length + 1))] ?? first,
    uuid() {
      const [one, two, three, four] = [hex(), hex(), hex(), hex()];
      return `${one}-${two.slice(0, 4)}-4${two.slice(5)}-8${three.slice(1, 4)}-${three.slice(4)}${four}`;
    },
    fork: label => createRandom(`${seed}/${label}`),
  };
}
