// The extent of the long tests. CAPI_TEST_EXTENT=full runs everything, as in `.ci/run`. Otherwise a part runs, as in
// `npm test`.

export const isFull = process.env['CAPI_TEST_EXTENT'] === 'full';

/** Returns the number of inputs of a long property. Without the full extent, it is a fifth. */
export function generated(all: number): number {
  return isFull ? all : Math.ceil(all / 5);
}
