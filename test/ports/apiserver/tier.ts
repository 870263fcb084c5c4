// The conformance cases that both servers must pass.

/** The minimum that reconcilers, event sources and common kubectl commands need. */
export const held: readonly string[] = [
  ...range(1, 18),
  ...range(20, 32),
  ...range(35, 39),
  ...range(41, 61),
  ...range(65, 65),
  ...range(68, 73),
  ...range(75, 80),
  ...range(83, 101),
  ...range(103, 106),
  ...range(109, 111),
  ...range(113, 120),
];

function range(first: number, last: number): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, offset) => `A${String(first + offset).padStart(2, '0')}`);
}
