// The extent of the long tests. CAPI_TEST_EXTENT=full runs everything, as in `.ci/run`. Otherwise a part runs, as in
// `npm test`.

/** `quick` is set by `npm test`. */
export const extent = process.env['CAPI_TEST_EXTENT'];

export const isFull = extent === 'full';

/** Returns the number of inputs of a long property. Without the full extent, it is a fifth. */
export function generated(all: number): number {
  return isFull ? all : Math.ceil(all / 5);
}

/** Returns the numbers of calls that a test disturbs: 1 to `calls`. Without the full extent, it is every fifth. */
export function disturbed(calls: number): readonly number[] {
  const interval = isFull ? 1 : 5;
  return Array.from({ length: calls }, (_, index) => index + 1).filter(number => number % interval === 1 % interval);
}
