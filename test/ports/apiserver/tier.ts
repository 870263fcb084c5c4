// Which conformance one-liners both servers must pass.

/** What a small API server must do to carry the reconcilers, their event sources and everyday kubectl. */
export const held: readonly string[] = [
  ...range(1, 10),
  ...range(12, 18),
  ...range(20, 32),
  ...range(35, 39),
  ...range(41, 45),
  ...range(47, 48),
  ...range(50, 51),
  ...range(53, 53),
  ...range(55, 60),
  ...range(65, 65),
  ...range(68, 72),
  ...range(75, 80),
  ...range(103, 106),
  ...range(109, 110),
  ...range(113, 116),
];

function range(first: number, last: number): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, offset) => `A${String(first + offset).padStart(2, '0')}`);
}
